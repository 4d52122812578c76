;;; agentfs-amend.el --- Edit what is proposed before accepting it  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; The text of a proposed file in a buffer of its own, or in Ediff.  Nothing
;; that an agent wrote into it, and no settings of its folder, take effect.

;;; Code:

(require 'agentfs-review)
(require 'ediff)

(defconst agentfs-amend--modes
  '(prog-mode conf-mode sgml-mode nxml-mode yaml-mode yaml-ts-mode toml-ts-mode)
  "Modes, with those derived from them, that only color what is written.
A mode for prose may do more: Org calls any mode that a block names, and reads
files and URLs.")

(defvar-local agentfs-amend--target nil "The proposal and the file that this buffer amends.")

(defvar agentfs-amend-mode-map
  (let ((map (make-sparse-keymap)))
    (define-key map (kbd "C-c C-c") #'agentfs-amend-done)
    (define-key map (kbd "C-c C-k") #'agentfs-amend-cancel)
    map)
  "Keys of a buffer that amends a proposal.")

(define-minor-mode agentfs-amend-mode
  "Amend what an agent proposes for a file."
  :interactive nil
  (setq header-line-format '(:eval (agentfs-amend--header))))

(defun agentfs-amend--header ()
  "The line above a buffer that amends a proposal."
  (pcase-let ((`(,proposal ,_) agentfs-amend--target))
    (replace-regexp-in-string
     "%" "%%"
     (cond ((not (memq (agentfs-proposal-state proposal) '(waiting)))
            (concat " " (agentfs-proposals-obstacle proposal) "  Your text is kept."))
           ((cdr (agentfs-proposal-files proposal)) " C-c C-c back to the review with this text, C-c C-k without")
           (t " C-c C-c accept this text, C-c C-k back to the review without it")))))

(defun agentfs-amend--buffer (name text file)
  "A new buffer with NAME and TEXT, and the colors of FILE.
Nothing in the text or in the folder of the file has an effect on it."
  (let ((buffer (generate-new-buffer name)))
    (with-current-buffer buffer
      (insert text)
      (agentfs-amend--color file)
      (agentfs-text-show-all)
      (setq buffer-undo-list nil)
      (set-buffer-modified-p nil)
      (goto-char (point-min)))
    buffer))

(defun agentfs-amend--color (file)
  "Use the mode for FILE, without its hooks, if all it does is color."
  (let ((mode (assoc-default (agentfs-file-path file) auto-mode-alist #'string-match-p))
        (enable-local-variables nil)
        (enable-dir-local-variables nil))
    (when (and (symbolp mode) (fboundp mode))
      (autoload-do-load (symbol-function mode) mode)
      (when (seq-some (lambda (parent) (provided-mode-derived-p mode parent)) agentfs-amend--modes)
        (ignore-errors
          (delay-mode-hooks (funcall mode))
          (font-lock-mode 1))))))

(defun agentfs-amend ()
  "Edit the text of the file at point before you accept it."
  (interactive)
  (let* ((proposal (agentfs-review--waiting))
         (file (agentfs-review--file))
         (line (agentfs-amend--line))
         (buffer (agentfs-amend--buffer
                  (format "*agentfs amend %s*" (agentfs-text-line (agentfs-file-path file)))
                  (agentfs-file-text file) file)))
    (set-window-dedicated-p nil nil)
    (switch-to-buffer buffer)
    (forward-line (1- line))
    (agentfs-amend-mode)
    (setq agentfs-amend--target (list proposal file))))

(defun agentfs-amend--line ()
  "The line of the accepted text at point, or 1."
  (save-excursion
    (forward-line 0)
    (let ((count 0))
      (while (and (not (looking-at "@@ -[0-9,]+ \\+\\([0-9]+\\)")) (not (bobp)))
        (unless (looking-at "[-\\]") (cl-incf count))
        (forward-line -1))
      (if (looking-at "@@ -[0-9,]+ \\+\\([0-9]+\\)")
          (max 1 (+ (string-to-number (match-string 1)) (max 0 (1- count))))
        1))))

(defun agentfs-amend-done ()
  "Accept the proposal with this text; of several files, go back to the review."
  (interactive)
  (pcase-let* ((`(,proposal ,file) agentfs-amend--target)
               (text (agentfs-client-text))
               (seen (agentfs-review--all-seen-p proposal))
               (problem (agentfs-proposals-obstacle proposal)))
    (cond ((eq (agentfs-proposal-state proposal) 'waiting)
           (when problem
             (user-error "%s" problem))
           (agentfs-proposals-set-text proposal file text)
           (agentfs-amend--leave proposal)
           (cond ((cdr (agentfs-proposal-files proposal)))
                 (seen (agentfs-proposals-accept proposal)
                       (agentfs-review--go-on))
                 (t (message "Not all of it was on the screen: look at it with your text"))))
          (t (if-let ((again (agentfs-proposals-keep-text file text)))
                 (progn (agentfs-amend--leave again)
                        (message "It has been proposed again: look at it with your text, then press y"))
               (user-error "%s  Your text is kept for the next proposal" problem))))))

(defun agentfs-amend-cancel ()
  "Go back to the review without this text."
  (interactive)
  (agentfs-amend--leave (car agentfs-amend--target)))

(defun agentfs-amend--leave (proposal)
  "Kill this buffer and show the review of PROPOSAL in its window."
  (let ((buffer (current-buffer)))
    (switch-to-buffer (agentfs-review--get-buffer))
    (with-current-buffer buffer (set-buffer-modified-p nil))
    (kill-buffer buffer)
    (agentfs-review-show proposal)))

(defun agentfs-amend-with-ediff ()
  "Compare the file at point with Ediff; what you change on the right is accepted."
  (interactive)
  (let* ((proposal (agentfs-review--waiting))
         (file (agentfs-review--file))
         (path (agentfs-text-line (agentfs-file-path file)))
         (before (current-window-configuration))
         (base (agentfs-amend--buffer (format "*agentfs now %s*" path) (agentfs-file-base file) file))
         (text (agentfs-amend--buffer (format "*agentfs proposed %s*" path) (agentfs-file-text file) file))
         (ediff-window-setup-function #'ediff-setup-windows-plain))
    (with-current-buffer base (setq buffer-read-only t))
    (ediff-buffers
     base text
     (list (lambda ()
             (add-hook 'ediff-after-quit-hook-internal
                       (lambda () (agentfs-amend--ediff-ended proposal file base text before))
                       nil t))))))

(defun agentfs-amend--ediff-ended (proposal file base text before)
  "Take the TEXT of FILE of PROPOSAL from Ediff, whose other buffer is BASE.
BEFORE is how the windows were."
  (let ((changed (and (buffer-live-p text) (with-current-buffer text (agentfs-client-text)))))
    (dolist (buffer (list base text))
      (when (buffer-live-p buffer)
        (with-current-buffer buffer (set-buffer-modified-p nil))
        (kill-buffer buffer)))
    (set-window-configuration before)
    (if (and changed (not (eq (agentfs-proposal-state proposal) 'waiting)))
        (agentfs-proposals-keep-text file changed)
      (when (and changed (not (equal changed (agentfs-file-text file))))
        (agentfs-proposals-set-text proposal file changed)))))

(provide 'agentfs-amend)
;;; agentfs-amend.el ends here
