;;; agentfs-gptel.el --- File tools for gptel  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Tools with which a model in gptel reads and changes files.  You review its
;; changes, and it waits for your decision:
;;
;;     (agentfs-gptel-tools (lambda (tools) (setq-default gptel-tools tools)))
;;
;; The server defines the tools, so its rules decide what they may touch.

;;; Code:

(require 'agentfs-client)

(declare-function gptel-make-tool "ext:gptel")

(defun agentfs-gptel--tool (definition root session)
  "A tool of gptel for DEFINITION, with the files of ROOT, in SESSION."
  (let* ((name (plist-get definition :name)) (schema (plist-get definition :inputSchema))
         (required (append (plist-get schema :required) nil)) (keys nil) (args nil))
    (cl-loop for (key arg) on (plist-get schema :properties) by #'cddr
             for key-name = (substring (symbol-name key) 1)
             do (push key keys)
             (push `(:name ,key-name ,@arg ,@(unless (member key-name required) '(:optional t))) args))
    (setq keys (nreverse keys))
    (gptel-make-tool
     :name name :description (plist-get definition :description) :category "agentfs" :async t
     :args (nreverse args)
     :function (lambda (callback &rest values)
                 (let ((arguments (cl-loop for key in keys for value in values
                                           when value append (list key value))))
                   (agentfs-gptel--call name (or arguments (make-hash-table)) root session callback))))))

(defun agentfs-gptel--call (name arguments root session callback)
  "Run the tool NAME with ARGUMENTS for the chat in this buffer, and call CALLBACK.
ROOT and SESSION are the chat's own if nil.  A chat that is killed withdraws
what it has proposed."
  (let* ((chat (current-buffer))
         (session (or session (format "gptel-%x" (sxhash-eq chat))))
         (params (list :dialect "mcp" :name name :session session :agent "gptel" :arguments arguments)))
    (condition-case problem
        (letrec ((withdraw (lambda () (agentfs-cancel request)))
                 (request (agentfs-request
                           "agentfs/call" params :root root
                           :callback (lambda (answer)
                                       (when (buffer-live-p chat)
                                         (with-current-buffer chat
                                           (remove-hook 'kill-buffer-hook withdraw t)
                                           (funcall callback (agentfs-gptel--text answer))))))))
          (add-hook 'kill-buffer-hook withdraw nil t))
      (error (funcall callback (error-message-string problem))))))

(defun agentfs-gptel--text (answer)
  "What a model is told of ANSWER."
  (or (plist-get (plist-get answer :data) :content) (plist-get answer :text)))

(defun agentfs-gptel--define (callback server root session)
  "Call CALLBACK with the tools of SERVER's root for ROOT and SESSION."
  (agentfs-request
   "agentfs/tools" '(:dialect "mcp" :format "mcp") :root server
   :callback (lambda (answer)
               (funcall callback (mapcar (lambda (definition) (agentfs-gptel--tool definition root session))
                                         (plist-get (plist-get answer :data) :tools))))))

;;;###autoload
(cl-defun agentfs-gptel-tools (callback &key root session)
  "Call CALLBACK with tools for gptel that read and change the files of ROOT.
Without ROOT, they are those of the project of each chat's buffer, and CALLBACK
is called once there is a server, with the first file of a project.  What a
model has read counts in its chat only, unless SESSION names one for all chats."
  (let ((running (seq-find (lambda (client) (eq (agentfs-client-state client) 'ready))
                           (mapcar #'cdr agentfs-clients))))
    (if (or root running)
        (agentfs-gptel--define callback (or root (agentfs-client-root running)) root session)
      (letrec ((begin (lambda (client)
                        (when (eq (agentfs-client-state client) 'ready)
                          (remove-hook 'agentfs-client-changed-hook begin)
                          (agentfs-gptel--define callback (agentfs-client-root client) root session)))))
        (add-hook 'agentfs-client-changed-hook begin)))))

(provide 'agentfs-gptel)
;;; agentfs-gptel.el ends here
