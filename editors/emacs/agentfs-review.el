;;; agentfs-review.el --- Decide about proposals  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; One buffer shows one proposal as a diff, and keys decide about it.  It
;; appears only when the user asks for it, and puts the windows back after.
;; An approving key counts only after all of the diff has been in the selected
;; window, each part for a moment, and only for what the buffer shows.

;;; Code:

(require 'agentfs-proposals)
(require 'diff-mode)

(defcustom agentfs-review-guard 0.7
  "Seconds for which a proposal must be in the selected window to be approved.
Until then an approving key, which may have been meant for something else, does
nothing but start them again."
  :type 'number
  :risky t
  :group 'agentfs)

(defcustom agentfs-review-display-action
  '((display-buffer-pop-up-window display-buffer-use-some-window)
    (window-height . agentfs-review-fit))
  "How the review is displayed, as `display-buffer' takes it."
  :type 'sexp
  :risky t
  :group 'agentfs)

(defconst agentfs-review--buffer "*agentfs review*" "The name of the buffer.")

(defvar agentfs-review--layout nil
  "How the windows were before the review: (FRAME CONFIGURATION WINDOWS).
WINDOWS are those right after it appeared, with their buffers.")

(defvar-local agentfs-review--item nil "The proposal or question in the buffer.")

(defvar-local agentfs-review--drawn nil
  "What has been drawn, as `agentfs-review--state' returns it.")

(defvar-local agentfs-review--problem nil "Why what has been drawn can't be accepted, or nil.")

(defvar-local agentfs-review--ready nil "The time from which approving keys count.")

(defvar-local agentfs-review--timer nil "Timer until approving keys count.")

(defvar-local agentfs-review--unseen 0
  "How many characters at the end of the buffer have not been on the screen.")

(defvar-local agentfs-review--rest 0
  "How many characters at the end of the buffer are lines that do not change.")

(defface agentfs-review-title '((t :inherit bold :height 1.1)) "Face of a proposal's title."
  :group 'agentfs)

(defface agentfs-review-warning '((t :inherit warning)) "Face of warnings about a proposal."
  :group 'agentfs)

(defvar agentfs-review-mode-map
  (let ((map (make-sparse-keymap)))
    (set-keymap-parent map special-mode-map)
    (pcase-dolist (`(,key . ,command)
                   '(("y" . agentfs-review-accept)
                     ("r" . agentfs-review-reject)
                     ("e" . agentfs-amend)
                     ("k" . agentfs-review-drop-hunk)
                     ("u" . agentfs-review-as-proposed)
                     ("x" . agentfs-review-leave-out)
                     ("q" . agentfs-review-later)
                     ("!" . agentfs-review-always)
                     ("E" . agentfs-amend-with-ediff)
                     ("n" . agentfs-review-next-hunk)
                     ("p" . agentfs-review-previous-hunk)
                     ("N" . agentfs-review-next-file)
                     ("P" . agentfs-review-previous-file)
                     (">" . agentfs-review-next)
                     ("<" . agentfs-review-previous)
                     ("D" . agentfs-review-use-draft)
                     ("g" . agentfs-review-redraw)))
      (define-key map (kbd key) command))
    (dolist (digit '("1" "2" "3" "4" "5" "6" "7" "8" "9"))
      (define-key map digit #'agentfs-review-choose))
    map)
  "Keys of the review.")

(define-derived-mode agentfs-review-mode diff-mode "agentfs"
  "Decide about what an agent proposes.

\\{agentfs-review-mode-map}"
  ;; diff-mode would look for the files to color their text, and has keys of
  ;; its own for buffers that are read-only.
  (setq-local diff-font-lock-syntax nil
              diff-refine nil
              diff-mode-read-only nil
              minor-mode-overriding-map-alist nil
              header-line-format '(:eval (agentfs-review--header))
              revert-buffer-function (lambda (&rest _) (agentfs-review-redraw)))
  (setq-local truncate-partial-width-windows nil)
  (setq truncate-lines nil
        buffer-read-only t
        bidi-display-reordering nil
        buffer-undo-list t)
  (add-hook 'window-scroll-functions #'agentfs-review--appeared nil t)
  (add-hook 'window-buffer-change-functions #'agentfs-review--appeared nil t)
  (add-hook 'window-selection-change-functions #'agentfs-review--appeared nil t))

(defun agentfs-review-start-mode ()
  "Switch to `agentfs-review-mode' without the variables of any folder.
`diff-mode' would use those of `default-directory'."
  (let ((enable-local-variables nil)
        (enable-dir-local-variables nil))
    (agentfs-review-mode)))

;;; The guard

(defun agentfs-review--appeared (&rest _)
  "The review has appeared or become the selected window: keys count in a moment."
  (when-let ((buffer (get-buffer agentfs-review--buffer)))
    (with-current-buffer buffer
      (agentfs-review--guard))))

(defun agentfs-review--guard ()
  "From now on, approving keys count only in a moment."
  (when agentfs-review--timer
    (cancel-timer agentfs-review--timer))
  (let ((buffer (current-buffer))
        (seconds (agentfs-review--guard-seconds)))
    (setq agentfs-review--ready (+ (float-time) seconds)
          agentfs-review--timer
          (run-at-time seconds nil
                       (lambda ()
                         (when (buffer-live-p buffer)
                           (with-current-buffer buffer
                             (setq agentfs-review--timer nil)
                             (agentfs-review--note-seen)
                             (force-mode-line-update)))))))
  (force-mode-line-update))

(defun agentfs-review--seen ()
  "The position up to which all of the text has been on the screen."
  (max (point-min) (- (point-max) agentfs-review--unseen)))

(defun agentfs-review--note-seen ()
  "Take the text in the selected window as seen."
  (when (and (eq (window-buffer) (current-buffer))
             (<= (window-start) (agentfs-review--seen)))
    (setq agentfs-review--unseen (min agentfs-review--unseen (- (point-max) (window-end nil t))))))

(defun agentfs-review--all-seen-p (proposal)
  "Whether all of the review of PROPOSAL has been on the screen."
  (with-current-buffer (agentfs-review--get-buffer)
    (and (eq proposal agentfs-review--item) (<= agentfs-review--unseen agentfs-review--rest))))

(defun agentfs-review--guard-seconds ()
  "For how long approving keys do not count.
The server does not take a yes to a question that it asked less than 1.5 s ago."
  (let ((item agentfs-review--item))
    (if (agentfs-question-p item)
        (max agentfs-review-guard (- (+ (agentfs-question-since item) 1.6) (float-time)))
      agentfs-review-guard)))

(defun agentfs-review--ready-p ()
  "Whether approving keys count."
  (and agentfs-review--ready
       (null agentfs-review--timer)
       (<= agentfs-review--ready (float-time))
       (eq (window-buffer) (current-buffer))))

(defun agentfs-review--check ()
  "Raise an error unless the user has seen what is to be approved."
  (agentfs-review--own)
  (unless (equal agentfs-review--drawn (agentfs-review--state agentfs-review--item))
    (agentfs-review-redraw)
    (user-error "The proposal has changed: look at it again"))
  (unless (agentfs-review--ready-p)
    (agentfs-review--guard)
    (user-error "Shown only just now: look at it, then press the key again"))
  (unless (agentfs-review--all-seen-p agentfs-review--item)
    (goto-char (agentfs-review--seen))
    (set-window-start nil (point))
    (agentfs-review--guard)
    (user-error "Not all of it was on the screen: read on, then press the key again")))

(defun agentfs-review--own ()
  "Raise an error unless this is the review, with a proposal."
  (unless (and (derived-mode-p 'agentfs-review-mode)
               (agentfs-proposal-p agentfs-review--item))
    (user-error (if (agentfs-question-p agentfs-review--item)
                    "Press the number of an answer"
                  "No proposal here"))))

(defun agentfs-review--waiting ()
  "The proposal here, about which the user can decide.  Raise an error otherwise."
  (agentfs-review--own)
  (unless (eq (agentfs-proposal-state agentfs-review--item) 'waiting)
    (user-error "%s" (agentfs-proposals-obstacle agentfs-review--item)))
  agentfs-review--item)

;;; Drawing

(defun agentfs-review--state (item)
  "What is drawn of ITEM: if that differs, it must be seen again."
  (if (agentfs-proposal-p item)
      (list (agentfs-proposal-state item)
            (mapcar (lambda (file) (list (agentfs-file-text file) (agentfs-file-out file)
                                         (agentfs-proposals-file-obstacle item file)))
                    (agentfs-proposal-files item)))
    (list (and (memq item agentfs-proposals-questions) t))))

(defun agentfs-review--header ()
  "The line above the review."
  (let ((item agentfs-review--item)
        (more (1- (agentfs-proposals-count)))
        (problem agentfs-review--problem))
    (replace-regexp-in-string
     "%" "%%"
     (concat
      (cond (problem (propertize (concat " " problem) 'face 'agentfs-review-warning))
            ((not (agentfs-review--ready-p))
             (propertize " Just shown: approving keys count in a moment" 'face 'shadow))
            ((agentfs-question-p item) " Press the number of an answer, q later")
            (t " y accept  r reject  e amend  k drop  q later  ! always  E ediff"))
      (if (= (window-end) (point-max)) "" (propertize "  more below" 'face 'agentfs-review-warning))
      (if (< 0 more) (format "  (+%d)" more) "")))))

(defun agentfs-review-redraw ()
  "Draw the review anew."
  (interactive)
  (let ((buffer (get-buffer agentfs-review--buffer)))
    (when buffer
      (with-current-buffer buffer
        (when agentfs-review--item
          (agentfs-review--draw agentfs-review--item))))))

(defun agentfs-review--draw (item)
  "Draw ITEM in the current buffer."
  (let ((same (eq item agentfs-review--item))
        (line (line-number-at-pos))
        (size (buffer-size))
        (inhibit-read-only t))
    (setq agentfs-review--item item
          agentfs-review--drawn (agentfs-review--state item)
          agentfs-review--problem (and (agentfs-proposal-p item) (agentfs-proposals-obstacle item)))
    (erase-buffer)
    (if (agentfs-question-p item)
        (agentfs-review--draw-question item)
      (agentfs-review--draw-proposal item))
    (setq agentfs-review--unseen
          (if same (+ agentfs-review--unseen (max 0 (- (buffer-size) size))) (buffer-size))
          agentfs-review--rest (- (point-max) (agentfs-review--last-change)))
    (goto-char (point-min))
    (if same (forward-line (1- line)) (agentfs-review--to-first-hunk))
    (dolist (window (get-buffer-window-list nil nil t))
      (unless same (set-window-start window (point-min)))
      (set-window-point window (point)))
    (agentfs-review--guard)))

(defun agentfs-review--last-change ()
  "The end of the last line that is no context of the diff."
  (save-excursion
    (goto-char (point-max))
    (while (and (not (bobp)) (save-excursion (forward-line -1) (eq (char-after) ?\s)))
      (forward-line -1))
    (point)))

(defun agentfs-review--draw-question (question)
  "Draw QUESTION in the current buffer."
  (insert (propertize "A question" 'font-lock-face 'agentfs-review-title) "\n\n")
  (dolist (line (split-string (agentfs-question-text question) "\n"))
    (insert "  " (agentfs-text-line line 1000) "\n"))
  (insert "\n")
  (seq-do-indexed (lambda (choice index)
                    (insert (format "  %d  %s\n" (1+ index) (agentfs-text-line choice))))
                  (agentfs-question-choices question))
  (unless (memq question agentfs-proposals-questions)
    (insert "\n  It has been answered, or is no longer asked.\n")))

(defun agentfs-review--draw-proposal (proposal)
  "Draw PROPOSAL in the current buffer."
  (let ((files (agentfs-proposal-files proposal))
        (agent (agentfs-text-line (agentfs-proposals-get proposal :agent) 80)))
    (insert (propertize (agentfs-text-line (agentfs-proposals-get proposal :title))
                        'font-lock-face 'agentfs-review-title)
            "\n"
            "Agent:  " (if (string-empty-p agent) "(no name)" agent)
            "  (session " (agentfs-text-line (agentfs-proposals-get proposal :session) 40) ")\n")
    (agentfs-review--insert-reason (agentfs-proposals-get proposal :explanation))
    (when (eq (agentfs-proposals-get proposal :blind) t)
      (agentfs-review--warn "The agent may not read this file: its text is for you alone."))
    (when (cdr files)
      (insert (if (agentfs-proposals-all-or-none-p proposal)
                  (format "Files:  %d, all of them or none\n" (length files))
                (format "Files:  %d; x leaves one out\n" (length files)))))
    (dolist (file files)
      (agentfs-review--insert-file file (cdr files)))
    (unless files
      (insert "\nThe server has not sent its texts yet.\n"))))

(defun agentfs-review--warn (format &rest arguments)
  "Insert a line of warning, with FORMAT and ARGUMENTS."
  (insert (propertize (concat "Note:   " (apply #'format format arguments))
                      'font-lock-face 'agentfs-review-warning)
          "\n"))

(defun agentfs-review--insert-reason (reason)
  "Insert an agent's REASON, at most some lines of it."
  (let ((lines (split-string (string-trim (or reason "")) "\n" )) (head "Reason: "))
    (dolist (line (cond ((equal lines '("")) nil)
                        ((nthcdr 12 lines) (append (seq-take lines 11) '("…")))
                        (t lines)))
      (insert head (agentfs-text-line line 400) "\n")
      (setq head "      | "))))

(defun agentfs-review--insert-file (file named)
  "Insert the section of FILE; with its decision if NAMED."
  (let ((begin (point))
        (path (agentfs-text-line (agentfs-file-path file) 4096)))
    (insert "\n")
    (when named
      (insert (if (agentfs-file-out file)
                  (propertize (format "File:   %s  LEFT OUT\n" path) 'font-lock-face 'agentfs-review-warning)
                (format "File:   %s\n" path))))
    (agentfs-review--insert-notes file)
    (insert "--- " (if (equal (agentfs-file-operation file) "create") "/dev/null" (concat "a/" path)) "\n"
            "+++ " (if (equal (agentfs-file-operation file) "delete") "/dev/null" (concat "b/" path)) "\n")
    (agentfs-review--insert-hunks file)
    (put-text-property begin (point) 'agentfs-file file)))

(defun agentfs-review--insert-notes (file)
  "Insert what is worth noting about FILE."
  (let ((encoding (agentfs-file-encoding file)) (eol (agentfs-file-eol file)))
    (unless (and (member encoding '(nil "utf-8")) (member eol '(nil "lf" "none")))
      (insert (format "Note:   encoding %s, line ends %s\n"
                      (agentfs-text-line encoding 40) (agentfs-text-line eol 20)))))
  (unless (equal (agentfs-file-text file) (agentfs-file-proposed file))
    (agentfs-review--warn "You have changed this proposal; u takes that back."))
  (when (agentfs-file-draft file)
    (agentfs-review--warn "You changed an earlier proposal of this file; D uses that text here."))
  (dolist (warning (agentfs-file-warnings file))
    (agentfs-review--warn "line %s: %s %s" (plist-get warning :line)
                          (agentfs-text-line (plist-get warning :kind))
                          (agentfs-text-line (plist-get warning :detail)))))

(defun agentfs-review--insert-hunks (file)
  "Insert the differences of FILE."
  (let* ((before (agentfs-text-lines (agentfs-file-base file)))
         (after (agentfs-text-lines (agentfs-file-text file)))
         (changes (agentfs-text-changes before after)))
    (unless changes
      (insert (if (equal (agentfs-file-operation file) "create") "(an empty file)\n" "(no change)\n")))
    (dolist (hunk (agentfs-text-hunks changes (length before)))
      (agentfs-review--insert-hunk before after hunk))))

(defun agentfs-review--insert-hunk (before after hunk)
  "Insert HUNK of the differences of the lines BEFORE and AFTER."
  (pcase-let* ((`(,start ,end . ,changes) hunk)
               (begin (point))
               (first (car changes)) (last (car (last changes)))
               (b-start (+ (nth 2 first) (- start (car first))))
               (b-end (+ (nth 3 last) (- end (nth 1 last))))
               (place (lambda (from to) (format "%d,%d" (if (= from to) from (1+ from)) (- to from)))))
    (insert (format "@@ -%s +%s @@\n" (funcall place start end) (funcall place b-start b-end)))
    (let ((at start))
      (pcase-dolist (`(,a ,a-end ,b ,b-end) changes)
        (agentfs-review--insert-lines " " before at a)
        (agentfs-review--insert-lines "-" before a a-end)
        (agentfs-review--insert-lines "+" after b b-end)
        (setq at a-end))
      (agentfs-review--insert-lines " " before at end))
    (put-text-property begin (point) 'agentfs-changes changes)))

(defun agentfs-review--insert-lines (sign lines start end)
  "Insert LINES from START to END, each behind SIGN."
  (cl-loop for index from start below end
           do (let* ((line (aref lines index)) (ended (string-suffix-p "\n" line)))
                (insert sign (agentfs-text-shown line))
                (unless ended (insert "\n\\ No newline at end of file\n")))))

;;; Moving

(defun agentfs-review--to-first-hunk ()
  "Move to the first hunk, if there is one."
  (goto-char (point-min))
  (if (re-search-forward "^@@" nil t)
      (forward-line 0)
    (goto-char (point-min))))

(defun agentfs-review--move (pattern count what)
  "Move over COUNT lines that match PATTERN, of which each is called WHAT."
  (let ((from (point)))
    (if (< 0 count) (end-of-line) (beginning-of-line))
    (if (re-search-forward pattern nil t count)
        (forward-line 0)
      (goto-char from)
      (user-error "No %s %s" (if (< 0 count) "next" "previous") what))))

(defun agentfs-review-next-hunk ()
  "Move to the next hunk."
  (interactive)
  (agentfs-review--move "^@@" 1 "hunk"))

(defun agentfs-review-previous-hunk ()
  "Move to the previous hunk."
  (interactive)
  (agentfs-review--move "^@@" -1 "hunk"))

(defun agentfs-review-next-file ()
  "Move to the next file."
  (interactive)
  (agentfs-review--move "^--- .*\n\\+\\+\\+" 1 "file"))

(defun agentfs-review-previous-file ()
  "Move to the previous file."
  (interactive)
  (agentfs-review--move "^--- .*\n\\+\\+\\+" -1 "file"))

(defun agentfs-review--file ()
  "The file at point, or the only one."
  (let ((files (agentfs-proposal-files agentfs-review--item)))
    (or (get-text-property (point) 'agentfs-file)
        (and (null (cdr files)) (car files))
        (user-error "Move to a file"))))

;;; Windows

(defun agentfs-review--windows ()
  "The selected frame's windows and their buffers."
  (mapcar (lambda (window) (cons window (window-buffer window))) (window-list nil 'no-minibuffer)))

(defun agentfs-review--items ()
  "Everything that waits for the user: questions first, what was put off last."
  (let ((waiting (agentfs-proposals-waiting)))
    (append agentfs-proposals-questions
            (seq-remove #'agentfs-proposal-aside waiting)
            (seq-filter #'agentfs-proposal-aside waiting))))

(defun agentfs-review--next-item ()
  "What to decide about next, without what was put off, or nil."
  (seq-find (lambda (item) (not (and (agentfs-proposal-p item) (agentfs-proposal-aside item))))
            (agentfs-review--items)))

(defun agentfs-review--get-buffer ()
  "The review's buffer."
  (or (get-buffer agentfs-review--buffer)
      (with-current-buffer (get-buffer-create agentfs-review--buffer)
        (agentfs-review-start-mode)
        (current-buffer))))

(defun agentfs-review-fit (window)
  "Make WINDOW as high as the review, but leave a third of the frame."
  (unless (window-full-height-p window)
    (fit-window-to-buffer window (/ (* 2 (frame-height)) 3) window-min-height)))

(defun agentfs-review-show (item &optional without-focus)
  "Show ITEM, a proposal or a question, and select its window.
WITHOUT-FOCUS leaves the selected window as it is."
  (let ((buffer (agentfs-review--get-buffer))
        (before (current-window-configuration)))
    (with-current-buffer buffer
      (unless (and (eq item agentfs-review--item)
                   (equal agentfs-review--drawn (agentfs-review--state item)))
        (agentfs-review--draw item)))
    (unless (get-buffer-window buffer)
      (let ((window (display-buffer buffer agentfs-review-display-action)))
        (setq agentfs-review--layout (list (window-frame window) before (agentfs-review--windows)))
        (set-window-point window (with-current-buffer buffer (point)))))
    (when agentfs-review--layout
      (agentfs-review-fit (get-buffer-window buffer)))
    (with-current-buffer buffer
      (agentfs-review--guard))
    (unless without-focus
      (select-window (get-buffer-window buffer)))))

(defun agentfs-review--close ()
  "Put the windows back as they were before the review."
  (pcase-let ((`(,frame ,before ,windows) agentfs-review--layout)
              (window (get-buffer-window agentfs-review--buffer)))
    (setq agentfs-review--layout nil)
    (when window
      (if (and (eq frame (selected-frame)) (equal windows (agentfs-review--windows)))
          (let ((places (mapcar (lambda (one) (list one (window-buffer one) (window-point one) (window-start one)))
                                (window-list nil 'no-minibuffer))))
            (set-window-configuration before)
            (pcase-dolist (`(,one ,buffer ,point ,start) places)
              (when (and (window-live-p one) (eq (window-buffer one) buffer))
                (set-window-point one point)
                (set-window-start one start t))))
        (quit-restore-window window 'bury)))))

(defun agentfs-review--go-on ()
  "Show what is to be decided next, or put the windows back."
  (if-let ((item (agentfs-review--next-item)))
      (agentfs-review-show item)
    (agentfs-review--close)))

;;;###autoload
(defun agentfs-review ()
  "Review what agents propose, the oldest first."
  (interactive)
  (let ((item (or (agentfs-review--next-item) (car (agentfs-review--items)))))
    (if item
        (agentfs-review-show item)
      (message "agentfs: nothing is waiting"))))

(defun agentfs-review--step (count)
  "Show what waits COUNT places further on."
  (let* ((items (agentfs-review--items))
         (place (seq-position items agentfs-review--item #'eq)))
    (unless items
      (user-error "Nothing is waiting"))
    (agentfs-review-show (nth (if place (mod (+ place count) (length items)) 0) items))))

(defun agentfs-review-next ()
  "Show the next proposal."
  (interactive)
  (agentfs-review--step 1))

(defun agentfs-review-previous ()
  "Show the previous proposal."
  (interactive)
  (agentfs-review--step -1))

(defun agentfs-review-later ()
  "Decide later: the proposal waits, and the windows are as before."
  (interactive)
  (when (agentfs-proposal-p agentfs-review--item)
    (agentfs-proposals-put-aside agentfs-review--item))
  (agentfs-review--close))

;;; Decisions

(defun agentfs-review--accept (&rest how)
  "Accept what is drawn, HOW as `agentfs-proposals-accept' takes it."
  (agentfs-review--own)
  (let ((proposal agentfs-review--item))
    (when-let ((problem (agentfs-proposals-obstacle proposal)))
      (user-error "%s" problem))
    (agentfs-review--check)
    (apply #'agentfs-proposals-accept proposal how)
    (agentfs-review--go-on)))

(defun agentfs-review-accept ()
  "Accept the change as it is shown."
  (interactive)
  (agentfs-review--accept))

(defun agentfs-review-always ()
  "Accept the change, and without a review all later ones of this session.
What is protected, or has a secret, is reviewed nevertheless."
  (interactive)
  (agentfs-review--accept :always t))

(defun agentfs-review-reject (reason)
  "Reject the change and tell the agent the REASON, which may be empty."
  (interactive
   (progn (agentfs-review--waiting)
          (list (let ((proposal agentfs-review--item))
                  (prog1 (read-string "Reject, because (may be empty): ")
                    (unless (eq proposal agentfs-review--item)
                      (user-error "The review shows another proposal now")))))))
  (agentfs-proposals-reject (agentfs-review--waiting) reason)
  (agentfs-review--go-on))

(defun agentfs-review-choose ()
  "Answer the question with the choice whose number was pressed."
  (interactive)
  (unless (agentfs-question-p agentfs-review--item)
    (user-error "No question here"))
  (let* ((number (- last-command-event ?1))
         (choice (nth number (agentfs-question-choices agentfs-review--item))))
    (unless choice
      (user-error "No such answer"))
    (unless (or (= number 0) (agentfs-review--ready-p))
      (agentfs-review--guard)
      (user-error "Shown only just now: look at it, then press the key again"))
    (agentfs-proposals-answer agentfs-review--item choice)
    (agentfs-review--go-on)))

(defun agentfs-review-leave-out (ask)
  "Leave the file at point out of what is accepted, or take it in again.
With a prefix argument, ASK for a reason, which goes to the agent."
  (interactive "P")
  (let* ((proposal (agentfs-review--waiting)) (file (agentfs-review--file)))
    (when (agentfs-proposals-all-or-none-p proposal)
      (user-error "The agent wants all of these files or none: r rejects all"))
    (unless (cdr (agentfs-proposal-files proposal))
      (user-error "It is the only file: r rejects it"))
    (agentfs-proposals-set-out
     proposal file
     (and (not (agentfs-file-out file)) (or (not ask) (read-string "Leave out, because (may be empty): "))))))

(defun agentfs-review-drop-hunk ()
  "Drop the hunk at point from what is accepted."
  (interactive)
  (let* ((proposal (agentfs-review--waiting))
         (file (agentfs-review--file))
         (changes (or (get-text-property (point) 'agentfs-changes) (user-error "No hunk here"))))
    (agentfs-proposals-set-text
     proposal file
     (agentfs-text-without (agentfs-text-lines (agentfs-file-base file))
                           (agentfs-text-lines (agentfs-file-text file))
                           changes))))

(defun agentfs-review-as-proposed ()
  "Take back what you changed in the file at point."
  (interactive)
  (let ((proposal (agentfs-review--waiting)) (file (agentfs-review--file)))
    (agentfs-proposals-set-text proposal file (agentfs-file-proposed file))))

(defun agentfs-review-use-draft ()
  "Use the text that you made of an earlier proposal of the file at point."
  (interactive)
  (let* ((proposal (agentfs-review--waiting))
         (file (agentfs-review--file))
         (draft (or (agentfs-file-draft file) (user-error "There is no earlier text"))))
    (setf (agentfs-file-draft file) nil)
    (agentfs-proposals-set-text proposal file draft)))

;;; When something changes

(defun agentfs-review--update ()
  "Draw the review again if something in it is not as drawn."
  (when-let ((buffer (get-buffer agentfs-review--buffer)))
    (with-current-buffer buffer
      (when (and agentfs-review--item
                 (not (equal agentfs-review--drawn (agentfs-review--state agentfs-review--item))))
        (agentfs-review--draw agentfs-review--item)))))

(defun agentfs-review--text-changed ()
  "Draw the review again if it is of the current buffer's file."
  (let* ((review (get-buffer agentfs-review--buffer))
         (item (and review (buffer-local-value 'agentfs-review--item review))))
    (when (and (agentfs-proposal-p item)
               (seq-some (lambda (file) (eq (current-buffer)
                                            (agentfs-client-buffer (agentfs-proposal-client item)
                                                                   (agentfs-file-uri file))))
                         (agentfs-proposal-files item)))
      (agentfs-review--update))))

(defun agentfs-review--leave-ended (proposal)
  "Replace PROPOSAL by the next one if it is in a window without the focus."
  (let ((window (get-buffer-window agentfs-review--buffer)))
    (when (and window
               (not (eq window (selected-window)))
               (eq proposal (buffer-local-value 'agentfs-review--item (window-buffer window))))
      (if-let ((item (agentfs-review--next-item)))
          (agentfs-review-show item t)
        (agentfs-review--close)))))

(add-function :after after-focus-change-function #'agentfs-review--appeared)
(add-hook 'agentfs-proposals-changed-hook #'agentfs-review--update)
(add-hook 'agentfs-client-text-changed-hook #'agentfs-review--text-changed)

(provide 'agentfs-review)
;;; agentfs-review.el ends here
