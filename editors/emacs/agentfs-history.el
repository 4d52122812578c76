;;; agentfs-history.el --- Changes that landed, and their undo  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Lists the changes of agents that landed, shows their differences, and
;; proposes to undo them: the user reviews an undo like any other change.

;;; Code:

(require 'agentfs-review)
(require 'tabulated-list)

(defvar-local agentfs-history--client nil "The client whose history the buffer lists.")

(defvar-local agentfs-history--changes nil "The history that the buffer lists.")

(defvar agentfs-history-mode-map
  (let ((map (make-sparse-keymap)))
    (define-key map (kbd "RET") #'agentfs-history-show)
    (define-key map (kbd "m") #'agentfs-history-mark)
    (define-key map (kbd "u") #'agentfs-history-undo)
    map)
  "Keys of the list of changes.")

(define-derived-mode agentfs-history-mode tabulated-list-mode "agentfs-history"
  "What agents have changed, newest first.
\\<agentfs-history-mode-map>\\[agentfs-history-show] shows one, \\[agentfs-history-undo] \
proposes to undo it or the marked ones,
\\[agentfs-history-mark] marks or unmarks it."
  (setq tabulated-list-format [("Time" 16 t) ("Agent" 14 t) ("Lines" 9 nil) ("Decision" 9 t) ("Files" 0 t)]
        tabulated-list-padding 2)
  (setq-local revert-buffer-function (lambda (&rest _) (agentfs-history--load)))
  (tabulated-list-init-header))

(defun agentfs-history--current-client ()
  "The client of the current buffer, or the only one.  Raise an error otherwise."
  (or agentfs-history--client
      (agentfs-client-current)
      (and (null (cdr agentfs-clients)) (cdar agentfs-clients))
      (user-error "No server runs for this buffer: see M-x agentfs-status")))

;;;###autoload
(defun agentfs-history ()
  "List what agents have changed in this project."
  (interactive)
  (let ((client (agentfs-history--current-client))
        (buffer (get-buffer-create "*agentfs history*")))
    (with-current-buffer buffer
      (agentfs-history-mode)
      (setq agentfs-history--client client)
      (agentfs-history--load))
    (pop-to-buffer buffer)))

(defun agentfs-history--load ()
  "Ask for the history and list it once it is there."
  (let ((buffer (current-buffer)))
    (agentfs-client-ask
     agentfs-history--client 'agentfs/userHistory '(:limit 200)
     (lambda (answer)
       (when (buffer-live-p buffer)
         (with-current-buffer buffer
           (setq agentfs-history--changes (append (plist-get (plist-get answer :data) :changes) nil)
                 tabulated-list-entries (mapcar #'agentfs-history--row agentfs-history--changes))
           (tabulated-list-print t)
           (when (equal (plist-get answer :status) "error")
             (agentfs-text-message "agentfs: %s" (plist-get answer :text)))))))))

(defun agentfs-history--row (change)
  "The row of CHANGE."
  (let* ((files (append (plist-get change :files) nil))
         (sum (lambda (key) (apply #'+ (mapcar (lambda (file) (or (plist-get file key) 0)) files)))))
    (list (plist-get change :change_id)
          (vector (agentfs-history--time (plist-get change :time))
                  (agentfs-text-line (plist-get change :agent) 14)
                  (format "+%d/-%d" (funcall sum :lines_added) (funcall sum :lines_removed))
                  (agentfs-text-line (plist-get change :decision))
                  (mapconcat (lambda (file) (agentfs-text-line (plist-get file :path))) files ", ")))))

(defun agentfs-history--time (time)
  "TIME, in UTC, as the user's."
  (condition-case nil
      (format-time-string "%Y-%m-%d %H:%M" (date-to-time time))
    (error (agentfs-text-line time 16))))

(defun agentfs-history--id ()
  "The id of the change at point."
  (or (tabulated-list-get-id) (user-error "No change here")))

(defun agentfs-history-mark ()
  "Mark the change at point, or unmark it."
  (interactive)
  (agentfs-history--id)
  (tabulated-list-put-tag (if (eq (char-after (line-beginning-position)) ?*) " " "*") t))

(defun agentfs-history--marked ()
  "The ids of what is marked."
  (save-excursion
    (goto-char (point-min))
    (let (ids)
      (while (not (eobp))
        (when (eq (char-after) ?*)
          (push (tabulated-list-get-id) ids))
        (forward-line))
      (nreverse ids))))

(defun agentfs-history-show ()
  "Show what the change at point has changed."
  (interactive)
  (agentfs-client-ask
   agentfs-history--client 'agentfs/userHistory
   (list :change_id (agentfs-history--id) :texts t)
   (lambda (answer)
     (if-let ((changes (append (plist-get (plist-get answer :data) :changes) nil)))
         (agentfs-history--show-change (car changes))
       (agentfs-text-message "agentfs: %s" (plist-get answer :text))))))

(defun agentfs-history--show-change (change)
  "Show the differences of CHANGE in another window."
  (with-current-buffer (get-buffer-create "*agentfs change*")
    (let ((inhibit-read-only t))
      (erase-buffer)
      (agentfs-review-start-mode)
      (use-local-map special-mode-map)
      (setq header-line-format nil)
      (insert (agentfs-text-line (plist-get change :agent)) ", "
              (agentfs-history--time (plist-get change :time)) "\n"
              (agentfs-text-line (plist-get change :explanation) 1000) "\n")
      (seq-doseq (file (plist-get change :files))
        (agentfs-review--insert-file
         (agentfs-proposals--file :path (plist-get file :path) :operation (plist-get file :operation)
                                  :base (or (plist-get file :before_text) "")
                                  :proposed (or (plist-get file :after_text) "")
                                  :text (or (plist-get file :after_text) ""))
         nil))
      (goto-char (point-min)))
    (display-buffer (current-buffer))))

(defun agentfs-history--propose (client params)
  "Have CLIENT propose an undo with PARAMS, and say what became of it."
  (agentfs-client-ask client 'agentfs/userUndo params
                      (lambda (answer) (agentfs-text-message "agentfs: %s" (plist-get answer :text)))))

(defun agentfs-history-undo ()
  "Propose to undo what is marked, together, or the change at point."
  (interactive)
  (let ((marked (agentfs-history--marked)))
    (agentfs-history--propose agentfs-history--client
                              (if marked
                                  (list :change_ids (vconcat marked))
                                (list :change_id (agentfs-history--id))))))

;;;###autoload
(defun agentfs-undo ()
  "Propose to undo the last change of an agent that landed in this project.
You review the undo like any other change."
  (interactive)
  (let ((client (agentfs-history--current-client)))
    (agentfs-client-ask
     client 'agentfs/userHistory '(:limit 1)
     (lambda (answer)
       (if-let ((last (car (append (plist-get (plist-get answer :data) :changes) nil))))
           (agentfs-history--propose client (list :change_id (plist-get last :change_id)))
         (agentfs-text-message "agentfs: no change has landed here"))))))

(provide 'agentfs-history)
;;; agentfs-history.el ends here
