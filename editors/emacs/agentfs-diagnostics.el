;;; agentfs-diagnostics.el --- What other programs say about files that change  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Tells the server what Flymake (and so eglot), Flycheck and lsp-mode say about
;; the files that agents change: before a change lands, and after it.  The
;; server compares them.

;;; Code:

(require 'agentfs-client)

(declare-function flymake-diagnostics "flymake" (&optional beg end))
(declare-function flymake-diagnostic-beg "flymake" (diagnostic))
(declare-function flymake-diagnostic-text "flymake" (diagnostic))
(declare-function flymake-diagnostic-type "flymake" (diagnostic))
(declare-function flymake-diagnostic-backend "flymake" (diagnostic))
(declare-function flycheck-error-line "ext:flycheck" (err))
(declare-function flycheck-error-message "ext:flycheck" (err))
(declare-function flycheck-error-level "ext:flycheck" (err))
(declare-function flycheck-error-checker "ext:flycheck" (err))
(defvar flymake-mode)
(defvar flycheck-mode)
(defvar flycheck-current-errors)

(defconst agentfs-diagnostics--step 0.05 "Seconds between two looks.")
(defconst agentfs-diagnostics--quiet 0.3 "Seconds after which diagnostics count as settled.")
(defconst agentfs-diagnostics--most 200 "How many diagnostics of a file are told.")

(defvar agentfs-diagnostics--landings nil
  "What was said before each landing, newest first.
Each is (ID . ((URI . DIAGNOSTICS) ...)).")

(defun agentfs-diagnostics--buffer (client uri)
  "The buffer of URI that is attached to CLIENT, or nil."
  (let ((buffer (gethash (agentfs-client-file uri) (agentfs-client-buffers client))))
    (and (buffer-live-p buffer) buffer)))

(defun agentfs-diagnostics--watched-p (buffer)
  "Non-nil if BUFFER has diagnostics of some program."
  (and buffer
       (with-current-buffer buffer
         (or (bound-and-true-p flymake-mode) (bound-and-true-p flycheck-mode)))))

(defun agentfs-diagnostics--one (line text severity source)
  "A diagnostic with TEXT of SEVERITY in LINE by SOURCE."
  (list :line line :message (truncate-string-to-width (or text "") 1000)
        :severity severity :source (format "%s" (or source ""))))

(defun agentfs-diagnostics--flymake ()
  "Flymake's diagnostics of the current buffer."
  (save-restriction
    (widen)
    (delq nil
          (mapcar
           (lambda (one)
             (let ((severity (cond ((memq (flymake-diagnostic-type one) '(:error eglot-error)) "error")
                                   ((memq (flymake-diagnostic-type one) '(:warning eglot-warning)) "warning"))))
               (and severity
                    (agentfs-diagnostics--one (line-number-at-pos (flymake-diagnostic-beg one))
                                              (flymake-diagnostic-text one) severity
                                              (flymake-diagnostic-backend one)))))
           (flymake-diagnostics)))))

(defun agentfs-diagnostics--flycheck ()
  "Flycheck's diagnostics of the current buffer."
  (delq nil
        (mapcar
         (lambda (one)
           (when (memq (flycheck-error-level one) '(error warning))
             (agentfs-diagnostics--one (or (flycheck-error-line one) 1) (flycheck-error-message one)
                                       (symbol-name (flycheck-error-level one)) (flycheck-error-checker one))))
         flycheck-current-errors)))

(defun agentfs-diagnostics--found (client uri)
  "The diagnostics of URI of CLIENT, if it is in a buffer."
  (when-let ((buffer (agentfs-diagnostics--buffer client uri)))
    (with-current-buffer buffer
      (seq-take (append (and (bound-and-true-p flymake-mode) (agentfs-diagnostics--flymake))
                        (and (bound-and-true-p flycheck-mode) (agentfs-diagnostics--flycheck)))
                agentfs-diagnostics--most))))

(defun agentfs-diagnostics--all (client uris)
  "What is said about each of URIS of CLIENT."
  (mapcar (lambda (uri) (cons uri (agentfs-diagnostics--found client uri))) uris))

(cl-defmethod agentfs-client-notified (client (_ (eql agentfs/landing)) params)
  "Remember what is said about the files of PARAMS that CLIENT is about to change."
  (push (cons (plist-get params :id)
              (agentfs-diagnostics--all client (append (plist-get params :uris) nil)))
        agentfs-diagnostics--landings)
  (setq agentfs-diagnostics--landings (seq-take agentfs-diagnostics--landings 64)))

(cl-defmethod agentfs-client-asked (client (_ (eql agentfs/diagnostics)) params answer)
  "ANSWER what is said about the files of PARAMS since CLIENT changed them."
  (let* ((uris (append (plist-get params :uris) nil))
         (landing (assoc (plist-get params :id) agentfs-diagnostics--landings))
         (watched (seq-some (lambda (uri)
                              (agentfs-diagnostics--watched-p (agentfs-diagnostics--buffer client uri)))
                            uris)))
    (setq agentfs-diagnostics--landings (delq landing agentfs-diagnostics--landings))
    (agentfs-diagnostics--wait client uris (cdr landing) (cdr landing) answer
                               (+ (float-time) (if watched (/ (plist-get params :wait_ms) 1000.0) 0)) nil)))

(defun agentfs-diagnostics--wait (client uris before last answer deadline changed)
  "ANSWER what is said about URIS of CLIENT, once it is settled or at DEADLINE.
It was BEFORE the landing, and LAST when it changed last, at the time CHANGED."
  (let* ((now (agentfs-diagnostics--all client uris))
         (changed (if (equal now last) changed (float-time))))
    (if (or (>= (float-time) deadline)
            (and changed (>= (- (float-time) changed) agentfs-diagnostics--quiet)))
        (funcall answer (list :files (agentfs-diagnostics--files before now)))
      (run-at-time agentfs-diagnostics--step nil #'agentfs-client--guarded #'agentfs-diagnostics--wait
                   client uris before now answer deadline changed))))

(defun agentfs-diagnostics--files (before now)
  "The answer about files of which BEFORE was said, and NOW is."
  (vconcat
   (delq nil
         (mapcar (lambda (file)
                   (when-let ((old (assoc (car file) before)))
                     (list :uri (car file) :before (vconcat (cdr old)) :after (vconcat (cdr file)))))
                 now))))

(provide 'agentfs-diagnostics)

;;; agentfs-diagnostics.el ends here
