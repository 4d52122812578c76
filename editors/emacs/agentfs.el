;;; agentfs.el --- Review what AI agents want to change  -*- lexical-binding: t; -*-

;; Author: the agentfs maintainers
;; Version: 0.1.0
;; Package-Requires: ((emacs "28.1"))
;; Keywords: tools, files
;; URL: https://agentfs.invalid/
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; agentfs is a server between AI agents and your files.  Each change that an
;; agent wants to make is a proposal: Emacs shows it as a diff, and you accept,
;; amend, or reject it.  Only then is it made, exactly as you saw it.
;;
;;     (require 'agentfs)
;;     (agentfs-mode)
;;     (global-set-key (kbd "C-c a") #'agentfs-review)
;;
;; `agentfs-mode' starts a server for each project that you visit a file of,
;; beside the one of eglot or lsp-mode.  When an agent proposes something, the
;; mode line says so, and nothing else happens: you are never interrupted.
;; `agentfs-review' shows it, with its keys in the first line.
;;
;; M-x agentfs-demo shows all that without an agent, M-x agentfs-status
;; whether everything works, and M-x agentfs-install installs the server.
;; M-x agentfs-pending lists what waits, and M-x agentfs-history what landed.
;;
;; Packages of agents call `agentfs-request'.  agentfs-gptel.el has tools for
;; gptel.

;;; Code:

(require 'agentfs-amend)
(require 'agentfs-client)
(require 'agentfs-diagnostics)
(require 'agentfs-history)
(require 'agentfs-install)
(require 'agentfs-proposals)
(require 'agentfs-review)

(defcustom agentfs-announce 'message
  "What happens when something waits for a review, besides the mode line.
`message': the echo area says so once you pause.  `display': the review appears
in another window once you pause, and does not take the focus.  Nil: nothing."
  :type '(choice (const :tag "A message" message) (const :tag "A window" display) (const :tag "Nothing" nil))
  :group 'agentfs)

(defcustom agentfs-idle 0.6
  "Seconds without a key that count as a pause."
  :type 'number
  :group 'agentfs)

(defface agentfs-pending-face '((t :inherit warning)) "Face of the number of pending proposals."
  :group 'agentfs)

(defvar agentfs--announcing nil "Timer that announces what has arrived.")

;;; The mode

(defun agentfs--lighter ()
  "The text for the mode line."
  (let ((count (agentfs-proposals-count)))
    (cond ((< 0 count)
           (propertize (format " agentfs:%d" count) 'face 'agentfs-pending-face
                       'help-echo "mouse-1: review what agents propose"
                       'local-map (let ((map (make-sparse-keymap)))
                                    (define-key map [mode-line mouse-1] #'agentfs-review)
                                    map)))
          ((seq-some (lambda (entry) (eq (agentfs-client-state (cdr entry)) 'failed)) agentfs-clients)
           (propertize " agentfs!" 'face 'agentfs-pending-face 'help-echo "The server has ended: M-x agentfs-status"))
          ((seq-some (lambda (entry) (agentfs-client-auto (cdr entry))) agentfs-clients)
           (propertize " agentfs-auto" 'help-echo "Some changes land without a review: M-x agentfs-manual ends that"))
          (t " agentfs"))))

;;;###autoload
(define-minor-mode agentfs-mode
  "Let AI agents propose changes of the files that you visit, for your review.
A server starts for each project.  \\[agentfs-review] reviews what waits."
  :global t
  :group 'agentfs
  :lighter (:eval (agentfs--lighter))
  (if agentfs-mode
      (agentfs--begin)
    (agentfs--end)))

(defun agentfs--count-again ()
  "Show how much waits in all mode lines."
  (force-mode-line-update t))

(defun agentfs--begin ()
  "Attach all buffers, and those that come."
  (add-hook 'agentfs-proposals-changed-hook #'agentfs--count-again)
  (add-hook 'find-file-hook #'agentfs--visited)
  (add-hook 'after-set-visited-file-name-hook #'agentfs--visited)
  (add-hook 'after-change-major-mode-hook #'agentfs-client-mode-changed)
  (add-hook 'post-command-hook #'agentfs-client-command-ended)
  (add-hook 'agentfs-proposed-functions #'agentfs--arrived)
  (add-hook 'agentfs-proposals-asked-functions #'agentfs--arrived)
  (add-hook 'agentfs-settled-functions #'agentfs--settled)
  (pcase-dolist (`(,_ . ,client) agentfs-clients)
    (when (eq (agentfs-client-state client) 'ready)
      (agentfs-proposals-recover client)))
  (dolist (buffer (buffer-list))
    (with-current-buffer buffer
      (agentfs--visited))))

(defun agentfs--end ()
  "Stop all servers: they withdraw what waits."
  (remove-hook 'agentfs-proposals-changed-hook #'agentfs--count-again)
  (remove-hook 'find-file-hook #'agentfs--visited)
  (remove-hook 'after-set-visited-file-name-hook #'agentfs--visited)
  (remove-hook 'after-change-major-mode-hook #'agentfs-client-mode-changed)
  (remove-hook 'post-command-hook #'agentfs-client-command-ended)
  (remove-hook 'agentfs-proposed-functions #'agentfs--arrived)
  (remove-hook 'agentfs-proposals-asked-functions #'agentfs--arrived)
  (remove-hook 'agentfs-settled-functions #'agentfs--settled)
  (dolist (entry (copy-sequence agentfs-clients))
    (agentfs-client-stop (cdr entry))))

(defvar agentfs--told-missing nil "Whether the user knows that the server is not installed.")

(defun agentfs--visited ()
  "Attach the current buffer if it is of a file in a project."
  (when (and buffer-file-name agentfs-mode)
    (agentfs-client--guarded #'agentfs-client-attach)
    (unless (or agentfs--told-missing (agentfs-client-program))
      (setq agentfs--told-missing t)
      (message "agentfs: the server is not installed: M-x agentfs-install"))))

;;;###autoload
(defun agentfs-restart ()
  "Start the server of this project again."
  (interactive)
  (when-let ((client (agentfs-client-current)))
    (agentfs-client-stop client))
  (agentfs-client-start (or (agentfs-client--root) (user-error "No project here"))))

;;;###autoload
(defun agentfs-manual ()
  "Review every change again, also those of sessions that were always accepted."
  (interactive)
  (pcase-dolist (`(,_ . ,client) agentfs-clients)
    (when (eq (agentfs-client-state client) 'ready)
      (agentfs-client-ask client 'agentfs/setApprovalMode '(:mode "manual")
                          (lambda (_) (message "agentfs: every change waits for you"))))))

;;; What arrives

(defun agentfs--when-idle (function)
  "Call FUNCTION once the user has paused, outside the minibuffer."
  (let ((idle (current-idle-time)))
    (run-with-idle-timer (if idle (time-add idle (seconds-to-time agentfs-idle)) agentfs-idle) nil
                         (lambda ()
                           (if (or (active-minibuffer-window) (< 0 (length (this-command-keys-vector)))
                                   (bound-and-true-p isearch-mode))
                               (agentfs--when-idle function)
                             (funcall function))))))

(defun agentfs--arrived (_item)
  "Something waits for the user: say so in a pause."
  (unless (or agentfs--announcing (null agentfs-announce))
    (setq agentfs--announcing (agentfs--when-idle #'agentfs--announce))))

(defun agentfs--announce ()
  "Say what waits."
  (setq agentfs--announcing nil)
  (when-let ((item (agentfs-review--next-item)))
    (unless (get-buffer-window agentfs-review--buffer t)
      (if (eq agentfs-announce 'display)
          (agentfs-review-show item t)
        (agentfs-text-message "agentfs: %s  %s" (agentfs--what item)
                              (substitute-command-keys "\\[agentfs-review] reviews it"))))))

(defun agentfs--what (item)
  "What ITEM is, in a few words."
  (if (agentfs-question-p item)
      "there is a question."
    (let ((agent (agentfs-text-line (agentfs-proposals-get item :agent) 40)))
      (format "%s: %s."
              (if (string-empty-p agent) "a proposal" agent)
              (agentfs-text-line (agentfs-proposals-get item :title) 120)))))

(defun agentfs--settled (proposal outcome)
  "Say what became of PROPOSAL unless OUTCOME is what the user wants anyway."
  (unless (or (active-minibuffer-window) (equal outcome "rejected"))
    (agentfs-text-message "agentfs: %s" (agentfs-proposals-ended-sentence proposal)))
  (agentfs--when-idle (lambda () (agentfs-review--leave-ended proposal))))

;;; The list of what waits

(defvar agentfs-pending-mode-map
  (let ((map (make-sparse-keymap)))
    (define-key map (kbd "RET") #'agentfs-pending-show)
    (define-key map (kbd "k") #'agentfs-pending-forget)
    map)
  "Keys of the list of what waits.")

(define-derived-mode agentfs-pending-mode tabulated-list-mode "agentfs-pending"
  "What agents propose.
\\<agentfs-pending-mode-map>\\[agentfs-pending-show] reviews it, and \
\\[agentfs-pending-forget] forgets what was lost."
  (setq tabulated-list-format [("State" 10 t) ("Agent" 14 t) ("Project" 18 t) ("What" 0 t)])
  (add-hook 'tabulated-list-revert-hook #'agentfs-pending--fill nil t)
  (tabulated-list-init-header))

(defun agentfs-pending--fill ()
  "List what waits."
  (setq tabulated-list-entries
        (append (mapcar #'agentfs-pending--question agentfs-proposals-questions)
                (mapcar #'agentfs-pending--proposal agentfs-proposals))))

(defun agentfs-pending--project (client)
  "The name of the project of CLIENT."
  (file-name-nondirectory (directory-file-name (agentfs-client-root client))))

(defun agentfs-pending--question (question)
  "The row of QUESTION."
  (list question (vector "question" "" (agentfs-pending--project (agentfs-question-client question))
                         (agentfs-text-line (agentfs-question-text question)))))

(defun agentfs-pending--proposal (proposal)
  "The row of PROPOSAL."
  (list proposal
        (vector (if (agentfs-proposal-aside proposal) "later" (symbol-name (agentfs-proposal-state proposal)))
                (agentfs-text-line (agentfs-proposals-get proposal :agent) 14)
                (agentfs-pending--project (agentfs-proposal-client proposal))
                (agentfs-text-line (agentfs-proposals-get proposal :title)))))

(defun agentfs-pending--update ()
  "Draw the list again, if there is one."
  (when-let ((buffer (get-buffer "*agentfs pending*")))
    (with-current-buffer buffer
      (agentfs-pending--fill)
      (tabulated-list-print t))))

(add-hook 'agentfs-proposals-changed-hook #'agentfs-pending--update)

;;;###autoload
(defun agentfs-pending ()
  "List what agents propose."
  (interactive)
  (let ((buffer (get-buffer-create "*agentfs pending*")))
    (with-current-buffer buffer
      (agentfs-pending-mode)
      (agentfs-pending--fill)
      (tabulated-list-print))
    (pop-to-buffer buffer)))

(defun agentfs-pending-show ()
  "Review what is in this row."
  (interactive)
  (agentfs-review-show (or (tabulated-list-get-id) (user-error "Nothing here"))))

(defun agentfs-pending-forget ()
  "Forget the lost proposal in this row."
  (interactive)
  (let ((item (tabulated-list-get-id)))
    (unless (and (agentfs-proposal-p item) (eq (agentfs-proposal-state item) 'lost))
      (user-error "Only what was lost can be forgotten"))
    (agentfs-proposals-forget item)))

;;; The demo

(defconst agentfs-demo--text
  "# Uploads\n\nHelo! Try what you like here.\n\n- Timeout: 30 seconds\n- Retries: 2\n\nDo not upload files with passwords.\n"
  "The file of the demo.")

(defconst agentfs-demo--changes
  '(("Helo!" "Hello!" "A typo.  Press y to accept this change.")
    ("Timeout: 30 seconds" "Timeout: 60 seconds"
     "Large files take longer.  Press e, change the number, and press C-c C-c.")
    ("\nDo not upload files with passwords.\n" "" "Short texts are read more often.  Press r and say why not."))
  "What the demo's agent proposes, and why.")

;;;###autoload
(defun agentfs-demo ()
  "Try the review with a sample file in a temporary folder.  No agent is needed."
  (interactive)
  (let* ((folder (file-name-as-directory (file-truename (make-temp-file "agentfs-demo-" t))))
         (file (expand-file-name "uploads.md" folder)))
    (unless (agentfs-client-program)
      (user-error "The server is not installed: M-x agentfs-install"))
    (write-region agentfs-demo--text nil file nil 'silent)
    (agentfs-client-start folder)
    (unless agentfs-mode (agentfs-mode))
    (find-file file)
    (add-hook 'kill-buffer-hook (lambda () (agentfs-demo--end folder)) nil t)
    (agentfs-demo--propose folder agentfs-demo--changes)))

(defun agentfs-demo--end (folder)
  "Stop the server of the demo in FOLDER and delete that."
  (when-let ((client (alist-get folder agentfs-clients nil nil #'equal)))
    (agentfs-client-stop client))
  (ignore-errors (delete-directory folder t)))

(defun agentfs-demo--propose (folder proposals)
  "Have the demo's agent make PROPOSALS for the file in FOLDER, one at a time."
  (pcase proposals
    ('nil (message "agentfs: that was the demo.  M-x agentfs-history lists what landed, and undoes it"))
    ((guard (not (file-directory-p folder)))) ; the user has killed the sample's buffer
    (`((,before ,after ,why) . ,others)
     (let ((again (lambda (_) (agentfs-demo--propose folder others)))
           (params '(:path "uploads.md" :session "demo" :agent "Demo")))
       (agentfs-request
        "agentfs/read" params :root folder
        :callback
        (lambda (_)
          (agentfs-request "agentfs/edit"
                           (append params (list :old_string before :new_string after :explanation why))
                           :root folder :callback again)
          (message "agentfs: the demo's agent proposes a change: %s"
                   (substitute-command-keys "\\[agentfs-review]"))))))))

(defun agentfs-unload-function ()
  "Stop the servers before the package is unloaded."
  (agentfs-mode -1)
  nil)

(provide 'agentfs)
;;; agentfs.el ends here
