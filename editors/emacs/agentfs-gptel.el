;;; agentfs-gptel.el --- File tools for gptel  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Tools with which a model in gptel reads and changes files.  You review its
;; changes, and it waits for your decision:
;;
;;     (agentfs-gptel-tools (lambda (tools) (setq gptel-tools tools)))
;;
;; The server defines the tools, so its rules decide what they may touch.

;;; Code:

(require 'agentfs-client)

(declare-function gptel-make-tool "ext:gptel")

(defun agentfs-gptel--tool (definition root session)
  "A tool of gptel for DEFINITION, of the server of ROOT, in SESSION."
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
                 (agentfs-request
                  "agentfs/call"
                  (list :dialect "mcp" :name name :session session :agent "gptel"
                        :arguments (or (cl-loop for key in keys for value in values
                                                when value append (list key value))
                                       (make-hash-table)))
                  :root root :callback (lambda (answer) (funcall callback (agentfs-gptel--text answer))))))))

(defun agentfs-gptel--text (answer)
  "What a model is told of ANSWER."
  (or (plist-get (plist-get answer :data) :content) (plist-get answer :text)))

;;;###autoload
(cl-defun agentfs-gptel-tools (callback &key root (session (format "gptel-%d" (random 1000000))))
  "Call CALLBACK with tools for gptel that read and change the files of ROOT.
They share a SESSION: what the model has read counts for its changes."
  (let ((root (or root (agentfs-client--root) (user-error "No project here"))))
    (agentfs-request
     "agentfs/tools" '(:dialect "mcp" :format "mcp") :root root
     :callback (lambda (answer)
                 (funcall callback (mapcar (lambda (definition) (agentfs-gptel--tool definition root session))
                                           (plist-get (plist-get answer :data) :tools)))))))

(provide 'agentfs-gptel)
;;; agentfs-gptel.el ends here
