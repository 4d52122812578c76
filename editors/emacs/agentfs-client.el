;;; agentfs-client.el --- The connection to agentfs-lsp  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; One server for each project, beside the one of eglot or lsp-mode.  This
;; file starts it, keeps it informed about the text of all file buffers of
;; the project, and applies and saves what it asks for.  It knows nothing
;; about reviews: `agentfs-client-notified' and `agentfs-client-asked' have
;; methods elsewhere.

;;; Code:

(require 'cl-lib)
(require 'jsonrpc)
(require 'project)
(require 'seq)
(require 'subr-x)
(require 'url-util)

(defgroup agentfs nil
  "Review what AI agents want to change in files."
  :group 'tools
  :prefix "agentfs-")

(defcustom agentfs-command '("agentfs-lsp")
  "The server's command, a program with its arguments.
If its program is not found, the one that `agentfs-install' installed is used."
  :type '(repeat string)
  :risky t)

(defcustom agentfs-settings nil
  "The server's settings, as a property list with nested ones.
For example (:approval (:mode \"auto_edit\")) lands changes without a review.
docs/configuration.md lists them.  Values of single buffers have no effect, so
that no file of a project can set them."
  :type 'plist
  :risky t)

(defcustom agentfs-root-function #'agentfs-client-project-root
  "Function that returns the root folder of the current buffer's project, or nil.
Without a root, agents neither see nor change the buffer's file."
  :type 'function
  :risky t)

(defconst agentfs-client-folder (locate-user-emacs-file "agentfs/")
  "The folder where `agentfs-install' puts the server.")

(cl-defstruct (agentfs-client (:constructor agentfs-client--create) (:copier nil))
  "A server and what it knows.
STATE is `starting', `ready', `ended' or `failed'.  BUFFERS has the attached
buffers by the names of their files.  WAITING are functions to call once it is
ready.  REQUESTS are the agents' requests of this Emacs without an answer.
CRASHES are the times when the server ended by itself.  AUTO is non-nil if some
changes need no review."
  root connection (state 'starting) (buffers (make-hash-table :test #'equal))
  waiting requests crashes info auto)

(cl-defstruct (agentfs-request (:copier nil))
  "An agent's request; ID is known once it has been sent."
  client method params callback id sent)

(defvar agentfs-client--count 0 "How many servers have been started.")

(defvar agentfs-clients nil
  "The servers, by their root folders.")

(cl-defgeneric agentfs-client-notified (client method params)
  "The server of CLIENT has sent the notification METHOD with PARAMS.")

(cl-defgeneric agentfs-client-asked (client method params answer)
  "The server of CLIENT has sent the request METHOD with PARAMS.
They also have its :id.  Call ANSWER with the result, now or later.")

(defvar agentfs-client-changed-hook nil
  "Functions to call with a client whose state has changed.")

(defvar agentfs-client-resume-function #'ignore
  "Function of a request whose server ended before it was answered.
Returns the params with which to send it to the next one, or nil.")

;;; Names of files

(defun agentfs-client-uri (file)
  "The URI of FILE."
  (concat "file://" (url-hexify-string file url-path-allowed-chars)))

(defun agentfs-client-file (uri)
  "The file of URI."
  (decode-coding-string (url-unhex-string (string-remove-prefix "file://" uri) t) 'utf-8-unix))

(defun agentfs-client-project-root ()
  "The root of the current buffer's project, or nil."
  (when-let ((project (project-current)))
    (project-root project)))

(defun agentfs-client--root ()
  "The current buffer's root folder as a true name, or nil if it has none here.
The home folder, or one above it, is none: agents would see all that is there."
  (let* ((root (and (not (file-remote-p default-directory)) (funcall agentfs-root-function)))
         (true (and root (not (file-remote-p root)) (file-name-as-directory (file-truename root)))))
    (and true
         (not (string-prefix-p true (file-name-as-directory (file-truename "~"))))
         true)))

(defun agentfs-client-current (&optional root)
  "The client of ROOT or the current buffer, or nil."
  (let ((root (if root (file-name-as-directory (file-truename root)) (agentfs-client--root))))
    (or (and root (alist-get root agentfs-clients nil nil #'equal))
        (and root (agentfs-client--around root)))))

(defun agentfs-client--around (folder)
  "The client with the innermost root around FOLDER, or nil."
  (let ((roots (seq-filter (lambda (entry) (string-prefix-p (car entry) folder)) agentfs-clients)))
    (cdar (sort roots (lambda (a b) (> (length (car a)) (length (car b))))))))

;;; The connection

(defclass agentfs-client--wire (jsonrpc-process-connection) ()
  "A connection whose requests may be answered later.")

(defvar agentfs-client--sent nil
  "The id of the request sent last.")

(cl-defmethod jsonrpc-connection-send :around ((connection agentfs-client--wire) &rest message)
  "Send MESSAGE to CONNECTION unless the answer is to come later."
  (let ((id (plist-get message :id)) (result (plist-get message :result)))
    (if (eq (car-safe result) 'agentfs-later)
        (funcall (cdr result) id
                 (lambda (answer)
                   (when (jsonrpc-running-p connection)
                     (jsonrpc-connection-send connection :id id :result answer))))
      (when (plist-get message :method)
        (setq agentfs-client--sent id))
      (cl-call-next-method))))

(defun agentfs-client--one-at-a-time (filter)
  "FILTER, not entered again while it is at work: what comes then waits.
Emacs reads from a process while it writes to it."
  (let (busy waiting)
    (lambda (process string)
      (setq waiting (nconc waiting (list string)))
      (unless busy
        (setq busy t)
        (unwind-protect
            (while waiting (funcall filter process (pop waiting)))
          (setq busy nil))))))

(defun agentfs-client-program ()
  "The server's command with the absolute name of its program, or nil."
  (pcase-let* ((`(,program . ,arguments) (default-value 'agentfs-command))
               (own (expand-file-name "venv/bin/agentfs-lsp" agentfs-client-folder))
               (found (or (executable-find program) (and (file-executable-p own) own))))
    (and found (cons found arguments))))

(defun agentfs-client-start (root)
  "Start a server for ROOT, unless there is one.  Return its client, or nil."
  (let* ((root (file-name-as-directory (file-truename root)))
         (client (alist-get root agentfs-clients nil nil #'equal)))
    (cond ((and client (memq (agentfs-client-state client) '(starting ready))) client)
          ((null (agentfs-client-program)) nil)
          (t (unless client
               (setq client (agentfs-client--create :root root))
               (push (cons root client) agentfs-clients))
             (agentfs-client--connect client)
             client))))

(defun agentfs-client--connect (client)
  "Start the server of CLIENT and greet it."
  (let* ((root (agentfs-client-root client))
         (name (format "agentfs %s %d" (abbreviate-file-name (directory-file-name root))
                       (cl-incf agentfs-client--count)))
         (connection
          (apply #'make-instance 'agentfs-client--wire
                 :name name
                 :process (lambda () (agentfs-client--process name root))
                 :notification-dispatcher (agentfs-client--dispatcher client #'agentfs-client-notified)
                 :request-dispatcher
                 (lambda (_ method params)
                   (cons 'agentfs-later
                         (lambda (id answer)
                           (agentfs-client--guarded #'agentfs-client-asked client method
                                                    (append params (list :id id)) answer))))
                 :on-shutdown (lambda (connection) (agentfs-client--ended client connection))
                 (agentfs-client--no-log)))
         (process (jsonrpc--process connection)))
    (set-process-filter process (agentfs-client--one-at-a-time (process-filter process)))
    (setf (agentfs-client-connection client) connection
          (agentfs-client-state client) 'starting)
    (agentfs-client-ask client 'initialize (agentfs-client--greeting root)
                        (lambda (answer) (agentfs-client--greeted client answer)))
    (run-hook-with-args 'agentfs-client-changed-hook client)))

(defun agentfs-client--process (name root)
  "Start the server process NAME in ROOT."
  (let ((default-directory root))
    (make-process :name name :command (agentfs-client-program) :connection-type 'pipe
                  :coding 'utf-8-emacs-unix :noquery t
                  :stderr (get-buffer-create (format "*%s stderr*" name)))))

(defun agentfs-client--no-log ()
  "Arguments for a connection without a log, which would have texts of files."
  (if (cl-loop for slot in (eieio-class-slots 'jsonrpc-connection)
               thereis (eq (cl--slot-descriptor-name slot) '-events-buffer-config))
      '(:events-buffer-config (:size 0 :format full))
    '(:events-buffer-scrollback-size 0)))

(defun agentfs-client--guarded (function &rest arguments)
  "Call FUNCTION with ARGUMENTS, and report its error instead of raising it."
  (condition-case-unless-debug problem
      (apply function arguments)
    (error (message "agentfs: %s" (error-message-string problem)))))

(defun agentfs-client--dispatcher (client function)
  "A dispatcher to FUNCTION, with CLIENT, a method, and its params."
  (lambda (_ method params) (agentfs-client--guarded function client method params)))

(defun agentfs-client--greeting (root)
  "The params of `initialize' for ROOT."
  (let ((uri (agentfs-client-uri (directory-file-name root))))
    `(:processId ,(emacs-pid)
      :clientInfo (:name "Emacs" :version ,emacs-version)
      ,@(when-let ((locale (agentfs-client--locale))) `(:locale ,locale))
      :rootUri ,uri
      :workspaceFolders [(:uri ,uri :name ,(file-name-nondirectory (directory-file-name root)))]
      :capabilities
      (:workspace (:applyEdit t :configuration t :workspaceFolders t
                   :workspaceEdit (:documentChanges t :changeAnnotationSupport (:groupsOnLabel :json-false)))
       :textDocument (:synchronization (:didSave t))
       :window (:workDoneProgress t)
       :experimental (:agentfs (:review t :save t :diagnostics t :user_settings t))))))

(defun agentfs-client--locale ()
  "The user's language as in LSP, such as \"zh-cn\", or nil."
  (let ((locale (seq-find (lambda (value) (not (member value '(nil ""))))
                          (mapcar #'getenv '("LC_ALL" "LC_MESSAGES" "LANG")))))
    (and locale (replace-regexp-in-string "_" "-" (car (split-string locale "[.@]"))))))

(defun agentfs-client--greeted (client answer)
  "Go on with CLIENT after ANSWER to its greeting."
  (setf (agentfs-client-info client) (plist-get answer :serverInfo)
        (agentfs-client-state client) 'ready)
  (agentfs-client-tell client 'initialized (make-hash-table))
  (clrhash (agentfs-client-buffers client))
  (dolist (buffer (buffer-list))
    (with-current-buffer buffer
      (when (agentfs-client--belongs-p client)
        (agentfs-client--open client))))
  (let ((waiting (agentfs-client-waiting client)))
    (setf (agentfs-client-waiting client) nil)
    (mapc #'funcall (nreverse waiting)))
  (run-hook-with-args 'agentfs-client-changed-hook client))

(defun agentfs-client-when-ready (client function)
  "Call FUNCTION once CLIENT is ready."
  (if (eq (agentfs-client-state client) 'ready)
      (funcall function)
    (push function (agentfs-client-waiting client))))

(defun agentfs-client-tell (client method params)
  "Send the notification METHOD with PARAMS to a running server of CLIENT."
  (when-let ((connection (agentfs-client-connection client)))
    (when (jsonrpc-running-p connection)
      (jsonrpc-notify connection method params))))

(defun agentfs-client-ask (client method params answered &optional failed)
  "Send the request METHOD with PARAMS to the server of CLIENT, and return its id.
ANSWERED is called with the result, however long it takes; FAILED with the code
and the message of an error."
  (let ((failed (or failed (lambda (_ text) (message "agentfs: %s" text)))))
    (agentfs-client-flush client)
    (if (not (jsonrpc-running-p (agentfs-client-connection client)))
        (funcall failed -1 "The server does not run")
      (jsonrpc-async-request
       (agentfs-client-connection client) method params :timeout nil
       :success-fn (lambda (result) (agentfs-client--guarded answered result))
       :error-fn (lambda (problem)
                   (agentfs-client--guarded failed (plist-get problem :code) (plist-get problem :message))))
      agentfs-client--sent)))

(defun agentfs-client-cancel (client id)
  "Tell the server of CLIENT that nobody waits for the request ID any more."
  (agentfs-client-tell client '$/cancelRequest (list :id id)))

;;; The end of a server

(defun agentfs-client--ended (client connection)
  "The server of CLIENT has closed its CONNECTION."
  (when (eq connection (agentfs-client-connection client))
    (let ((stopped (eq (agentfs-client-state client) 'ended))
          (lost (agentfs-client-requests client))
          (greeted (eq (agentfs-client-state client) 'ready)))
      (let ((kill-buffer-query-functions nil))
        (dolist (buffer (list (jsonrpc-stderr-buffer connection)
                              (jsonrpc-events-buffer connection)
                              (process-buffer (jsonrpc--process connection))))
          (when (buffer-live-p buffer) (kill-buffer buffer))))
      (setf (agentfs-client-requests client) nil
            (agentfs-client-waiting client) nil
            (agentfs-client-auto client) nil
            (agentfs-client-state client) (if stopped 'ended 'failed))
      (unless stopped
        (push (float-time) (agentfs-client-crashes client))
        (when (and greeted (agentfs-client--may-restart-p client))
          (agentfs-client--guarded #'agentfs-client--connect client)))
      (run-hook-with-args 'agentfs-client-changed-hook client)
      (mapc #'agentfs-client--resume lost))))

(defun agentfs-client--may-restart-p (client)
  "Whether the server of CLIENT has not ended 4 times in the last 5 minutes."
  (< (seq-count (lambda (time) (< (- (float-time) time) 300)) (agentfs-client-crashes client)) 4))

(defun agentfs-client-stop (client)
  "End the server of CLIENT without waiting for it."
  (let ((connection (agentfs-client-connection client)))
    (setf (agentfs-client-state client) 'ended)
    (setq agentfs-clients (rassq-delete-all client agentfs-clients))
    (maphash (lambda (_ buffer) (when (buffer-live-p buffer)
                                  (with-current-buffer buffer (agentfs-client--forget))))
             (agentfs-client-buffers client))
    (when (and connection (jsonrpc-running-p connection))
      (process-send-eof (jsonrpc--process connection)))))

;;; Agents' requests

(cl-defun agentfs-request (method params &key root callback)
  "Send an agent's request and return at once, with a handle to cancel it.
METHOD is its name, such as \"agentfs/edit\", and PARAMS its params as a plist;
docs/protocol.md describes both.  It goes to the server of ROOT, or of the
current buffer's project, which is started if need be.  CALLBACK is called with
the response once the user has decided, however long that takes.  If the server
ends before, the request is repeated with the next one."
  (let* ((root (or root (agentfs-client--root) (error "No project here; give a :root")))
         (known (agentfs-client-current root))
         (client (or (agentfs-client-start (if known (agentfs-client-root known) root))
                     (error "The server agentfs-lsp is not installed: M-x agentfs-install")))
         (request (make-agentfs-request :client client :method method :params params
                                        :callback (or callback #'ignore))))
    (agentfs-client--send request)
    request))

(defun agentfs-client--send (request)
  "Send REQUEST once its server is ready."
  (let ((client (agentfs-request-client request)))
    (push request (agentfs-client-requests client))
    (agentfs-client-when-ready
     client
     (lambda ()
       (setf (agentfs-request-sent request) t
             (agentfs-request-id request)
             (agentfs-client-ask
              client (intern (agentfs-request-method request)) (agentfs-request-params request)
              (lambda (answer) (agentfs-client--answered request answer))
              (lambda (code text)
                (unless (eq code -1) ; the server has died: `agentfs-client--resume'
                  (agentfs-client--answered request (agentfs-client--no-answer code text))))))))))

(defun agentfs-client--no-answer (code text)
  "An answer for an agent, with TEXT and CODE."
  (list :status "error" :data nil :text text :error (list :code code :message text)))

(defun agentfs-client--answered (request answer)
  "Call back for REQUEST with ANSWER."
  (let ((client (agentfs-request-client request)))
    (setf (agentfs-client-requests client) (delq request (agentfs-client-requests client)))
    (funcall (agentfs-request-callback request) answer)))

(defun agentfs-client--resume (request)
  "Repeat REQUEST, which the server did not answer before it ended, if possible."
  (let ((params (if (agentfs-request-sent request)
                    (funcall agentfs-client-resume-function request)
                  (agentfs-request-params request))))
    (if (and params (memq (agentfs-client-state (agentfs-request-client request)) '(starting ready)))
        (progn (setf (agentfs-request-params request) params
                     (agentfs-request-sent request) nil)
               (agentfs-client--send request))
      (funcall (agentfs-request-callback request)
               (agentfs-client--no-answer
                "EXECUTION_ERROR" "The server ended before it answered.  Read the file and repeat the change.")))))

(defun agentfs-cancel (request)
  "Withdraw REQUEST, which `agentfs-request' returned, unless it has been decided."
  (when-let ((id (agentfs-request-id request)))
    (agentfs-client-cancel (agentfs-request-client request) id)))

;;; Buffers

(cl-defstruct (agentfs-document (:constructor agentfs-document-of (client file)) (:copier nil))
  "What the server knows about a buffer.
TEXT-P says whether it is the file's text.  CHANGES are those that the server has
not been told, newest first, or t for the whole text.  RANGE is the one of the
change under way, and TICK says what the text was when the mode changed."
  client file (text-p t) (version 0) changes range tick dirty encoding)

(defvar-local agentfs-client--document nil
  "The current buffer's `agentfs-document', if it is attached.")
(put 'agentfs-client--document 'permanent-local t)

(defvar agentfs-client--timer nil
  "Timer that tells the servers what has changed.")

(defun agentfs-client--belongs-p (client)
  "Whether the current buffer is of a file of CLIENT."
  (and buffer-file-name
       (null (buffer-base-buffer))
       (not (file-remote-p buffer-file-name))
       (string-prefix-p (agentfs-client-root client) (file-truename buffer-file-name))))

(defun agentfs-client--text-p ()
  "Whether the current buffer's text is what is in its file."
  (and enable-multibyte-characters
       (null buffer-file-format)
       (not (derived-mode-p 'hexl-mode 'image-mode 'archive-mode 'tar-mode 'doc-view-mode))
       (not (and (fboundp 'jka-compr-get-compression-info)
                 (jka-compr-get-compression-info buffer-file-name)))))

(defun agentfs-client-attach ()
  "Attach the current buffer to its project's server, which is started if need be."
  (cond ((or (null buffer-file-name) (file-remote-p buffer-file-name)))
        (agentfs-client--document)
        (t (when-let* ((client (or (agentfs-client-current (file-name-directory buffer-file-name))
                                   (when-let ((root (agentfs-client--root)))
                                     (agentfs-client-start root)))))
             (when (and (eq (agentfs-client-state client) 'ready) (agentfs-client--belongs-p client))
               (agentfs-client--open client))))))

(defun agentfs-client-mode-changed ()
  "Watch the current buffer again if it is attached: a new mode ends local hooks.
Buffers that are not attached may have the name of a file only for a moment."
  (let ((document agentfs-client--document))
    (cond ((null document))
          ((not (eq (agentfs-document-text-p document) (agentfs-client--text-p)))
           (agentfs-client-detach)
           (agentfs-client-attach))
          ((not (memq #'agentfs-client--after-change after-change-functions))
           (agentfs-client--watch)
           (unless (eql (agentfs-document-tick document) (buffer-chars-modified-tick))
             (setf (agentfs-document-changes document) t)
             (agentfs-client--flush))))))

(defconst agentfs-client--hooks
  '((before-change-functions . agentfs-client--before-change)
    (after-change-functions . agentfs-client--after-change)
    (after-save-hook . agentfs-client--saved)
    (after-revert-hook . agentfs-client--reverted)
    (kill-buffer-hook . agentfs-client-detach)
    (after-set-visited-file-name-hook . agentfs-client--renamed)
    (change-major-mode-hook . agentfs-client--mode-changes))
  "What watches an attached buffer.")

(defun agentfs-client--watch ()
  "Watch the current buffer."
  (pcase-dolist (`(,hook . ,function) agentfs-client--hooks)
    (add-hook hook function nil t)))

(defun agentfs-client--open (client)
  "Attach the current buffer to CLIENT, which is ready."
  (let ((file (file-truename buffer-file-name)))
    (setq agentfs-client--document (agentfs-document-of client file))
    (puthash file (current-buffer) (agentfs-client-buffers client))
    (setf (agentfs-document-text-p agentfs-client--document) (agentfs-client--text-p))
    (agentfs-client--watch)
    (when (agentfs-document-text-p agentfs-client--document)
      (agentfs-client-tell
       client 'textDocument/didOpen
       (list :textDocument (list :uri (agentfs-client-uri file) :version 0
                                 :languageId (string-remove-suffix "-mode" (symbol-name major-mode))
                                 :text (agentfs-client-text)))))
    (agentfs-client--tell-state)))

(defun agentfs-client--forget ()
  "Detach the current buffer without telling the server."
  (when agentfs-client--document
    (setq agentfs-client--document nil)
    (pcase-dolist (`(,hook . ,function) agentfs-client--hooks)
      (remove-hook hook function t))))

(defun agentfs-client-detach ()
  "Detach the current buffer from its server."
  (when-let ((document agentfs-client--document))
    (let ((client (agentfs-document-client document))
          (file (agentfs-document-file document)))
      (when (eq (gethash file (agentfs-client-buffers client)) (current-buffer))
        (remhash file (agentfs-client-buffers client))
        (if (agentfs-document-text-p document)
            (agentfs-client-tell client 'textDocument/didClose
                                 (list :textDocument (list :uri (agentfs-client-uri file))))
          (agentfs-client-tell client 'agentfs/documentState
                               (list :uri (agentfs-client-uri file) :unsaved_elsewhere :json-false)))))
    (agentfs-client--forget)))

(defun agentfs-client--renamed ()
  "The current buffer visits another file now."
  (agentfs-client-detach)
  (agentfs-client-attach))

(defun agentfs-client--mode-changes ()
  "Before the current buffer gets another mode: see `agentfs-client-mode-changed'."
  (setf (agentfs-document-tick agentfs-client--document) (buffer-chars-modified-tick)))

(defun agentfs-client-text ()
  "The current buffer's text as JSON can hold it."
  (save-restriction
    (widen)
    (agentfs-client--clean (buffer-substring-no-properties (point-min) (point-max)))))

(defun agentfs-client--clean (text)
  "TEXT with a replacement character for each byte and half character in it."
  (if (string-match-p "[\x3fff80-\x3fffff\xd800-\xdfff]" text)
      (replace-regexp-in-string "[\x3fff80-\x3fffff\xd800-\xdfff]" "\ufffd" text t t)
    text))

(defun agentfs-client--position (position)
  "POSITION of the current, widened buffer as in LSP."
  (save-excursion
    (goto-char position)
    (forward-line 0)
    (let ((line (1- (line-number-at-pos nil t)))
          (column (- position (point))))
      (while (re-search-forward "[\x10000-\x10ffff]" position t)
        (cl-incf column))
      (list :line line :character column))))

(defun agentfs-client--point (position)
  "The place in the current, widened buffer of POSITION as in LSP."
  (save-excursion
    (goto-char (point-min))
    (let ((missing (forward-line (plist-get position :line)))
          (column (plist-get position :character)))
      (when (= missing 0)
        (while (and (> column 0) (not (eolp)))
          (cl-decf column (if (<= #x10000 (char-after) #x10ffff) 2 1))
          (forward-char)))
      (point))))

(defun agentfs-client--before-change (begin end)
  "Remember where BEGIN and END of a change are, as in LSP."
  (when-let ((document agentfs-client--document))
    (setf (agentfs-document-range document)
          (and (not (eq (agentfs-document-changes document) t))
               (save-restriction
                 (widen)
                 (list begin (- end begin)
                       (list :start (agentfs-client--position begin)
                             :end (agentfs-client--position end))))))))

(defun agentfs-client--after-change (begin end length)
  "Note a change: LENGTH characters became those from BEGIN to END."
  (when-let ((document agentfs-client--document))
    (pcase (agentfs-document-range document)
      ((and `(,(pred (eql begin)) ,(pred (eql length)) ,range)
            (guard (listp (agentfs-document-changes document))))
       (push (list :range range
                   :text (agentfs-client--clean (save-restriction
                                                  (widen)
                                                  (buffer-substring-no-properties begin end))))
             (agentfs-document-changes document)))
      (_ (setf (agentfs-document-changes document) t)))
    (setf (agentfs-document-range document) nil)
    (unless agentfs-client--timer
      (setq agentfs-client--timer (run-at-time 0 nil #'agentfs-client--flush-all)))))

(defun agentfs-client--flush-all ()
  "Tell all servers what has changed."
  (setq agentfs-client--timer nil)
  (dolist (entry agentfs-clients)
    (agentfs-client-flush (cdr entry))))

(defun agentfs-client-flush (client)
  "Tell the server of CLIENT what has changed in its buffers."
  (maphash (lambda (_ buffer)
             (when (buffer-live-p buffer)
               (with-current-buffer buffer (agentfs-client--flush))))
           (agentfs-client-buffers client)))

(defvar agentfs-client-text-changed-hook nil
  "Functions to call in an attached buffer whose text has changed.")

(defun agentfs-client--flush ()
  "Tell the current buffer's server what has changed in it."
  (when-let* ((document agentfs-client--document)
              (changes (agentfs-document-changes document)))
    (setf (agentfs-document-changes document) nil)
    (when (agentfs-document-text-p document)
      (agentfs-client-tell
       (agentfs-document-client document) 'textDocument/didChange
       (list :textDocument (list :uri (agentfs-client-uri (agentfs-document-file document))
                                 :version (cl-incf (agentfs-document-version document)))
             :contentChanges (if (eq changes t)
                                 (vector (list :text (agentfs-client-text)))
                               (vconcat (reverse changes))))))
    (agentfs-client--tell-state)
    (run-hooks 'agentfs-client-text-changed-hook)))

(defun agentfs-client--tell-state ()
  "Tell the server whether the current buffer is modified, if that is new."
  (when-let ((document agentfs-client--document))
    (let ((dirty (buffer-modified-p))
          (encoding (agentfs-client--encoding))
          (client (agentfs-document-client document))
          (uri (agentfs-client-uri (agentfs-document-file document))))
      (unless (and (eq dirty (agentfs-document-dirty document))
                   (equal encoding (agentfs-document-encoding document)))
        (setf (agentfs-document-dirty document) dirty
              (agentfs-document-encoding document) encoding)
        (agentfs-client-tell
         client 'agentfs/documentState
         (if (agentfs-document-text-p document)
             `(:uri ,uri :dirty ,(or dirty :json-false) ,@(and encoding `(:encoding ,encoding)))
           (list :uri uri :unsaved_elsewhere (or dirty :json-false))))))))

(defun agentfs-client--encoding ()
  "The encoding of the current buffer as the server knows it, or nil."
  (let* ((coding buffer-file-coding-system)
         (base (and coding (coding-system-base coding)))
         (charset (and base (coding-system-get base :mime-charset))))
    (cond ((memq base '(nil undecided prefer-utf-8 raw-text no-conversion)) nil)
          ((and (eq (coding-system-type base) 'utf-8) (eq (coding-system-get base :bom) t)) "utf8bom")
          (charset (symbol-name charset)))))

(defun agentfs-client-command-ended ()
  "Tell the server if the last command made the buffer modified or unmodified."
  (when (and agentfs-client--document
             (null (agentfs-document-changes agentfs-client--document))
             (not (eq (buffer-modified-p) (agentfs-document-dirty agentfs-client--document))))
    (agentfs-client--tell-state)))

(defun agentfs-client--saved ()
  "The current buffer was saved."
  (when-let ((document agentfs-client--document))
    (agentfs-client--flush)
    (agentfs-client--tell-state)
    (when (agentfs-document-text-p document)
      (agentfs-client-tell
       (agentfs-document-client document) 'textDocument/didSave
       (list :textDocument (list :uri (agentfs-client-uri (agentfs-document-file document))))))))

(defun agentfs-client--reverted ()
  "The current buffer was read again, perhaps without a call of the hooks."
  (when agentfs-client--document
    (setf (agentfs-document-changes agentfs-client--document) t)
    (agentfs-client--flush)
    (agentfs-client--tell-state)))

;;; What the server asks for

(defun agentfs-client-buffer (client uri)
  "The buffer of CLIENT for the file of URI, or nil."
  (let ((buffer (gethash (agentfs-client-file uri) (agentfs-client-buffers client))))
    (and (buffer-live-p buffer) buffer)))

(defun agentfs-client-obstacle (buffer)
  "Why the text of BUFFER can't be changed, in a sentence; nil if it can."
  (with-current-buffer buffer
    (cond (buffer-read-only "Its buffer is read-only.")
          ((not (agentfs-client--text-p)) "Its buffer shows something other than the text of the file.")
          ((and (not (buffer-modified-p)) (not (verify-visited-file-modtime buffer)))
           "It has changed on disk since it was visited.  Revert its buffer."))))

(defun agentfs-client-apply (client edit)
  "Apply the workspace EDIT to buffers of CLIENT, all of it or nothing.
Return what became of each file: a vector of (:uri :applied :reason)."
  (agentfs-client-flush client)
  (let* ((changes (append (plist-get edit :documentChanges) nil))
         (problems (mapcar (lambda (change) (agentfs-client--problem client change)) changes))
         (failed (seq-some #'identity problems)))
    (unless failed
      (condition-case problem
          (agentfs-client--change-all client changes)
        (error (setq failed (error-message-string problem)))))
    (agentfs-client-flush client)
    (vconcat (cl-mapcar (lambda (change own)
                          `(:uri ,(plist-get (plist-get change :textDocument) :uri)
                            ,@(if failed
                                  `(:applied :json-false :reason ,(or own failed))
                                '(:applied t))))
                        changes problems))))

(defun agentfs-client--problem (client change)
  "Why CHANGE can't be applied to a buffer of CLIENT, or nil."
  (let* ((document (plist-get change :textDocument))
         (version (plist-get document :version))
         (buffer (agentfs-client-buffer client (plist-get document :uri))))
    (cond ((null buffer) "The file is not open.")
          ((agentfs-client-obstacle buffer))
          ((not (eql version (agentfs-document-version
                              (buffer-local-value 'agentfs-client--document buffer))))
           "The buffer has changed in the meantime."))))

(defun agentfs-client--change-all (client edits)
  "Apply all EDITS to buffers of CLIENT, or none if one fails."
  (let* ((buffers (mapcar (lambda (change)
                            (agentfs-client-buffer client (plist-get (plist-get change :textDocument) :uri)))
                          edits))
         (group (mapcan (lambda (buffer) (with-current-buffer buffer
                                           (undo-boundary)
                                           (prepare-change-group)))
                        buffers))
         (inhibit-interaction t)
         done)
    (unwind-protect
        (progn
          (activate-change-group group)
          (cl-mapc (lambda (buffer change)
                     (with-current-buffer buffer
                       (agentfs-client--edit (append (plist-get change :edits) nil))))
                   buffers edits)
          (setq done t))
      (if done (accept-change-group group) (cancel-change-group group)))
    (dolist (buffer buffers)
      (with-current-buffer buffer (undo-boundary)))))

(defun agentfs-client--edit (edits)
  "Apply EDITS, whose places are all of the present text, to the current buffer."
  (save-restriction
    (widen)
    (let ((places (mapcar (lambda (edit)
                            (let ((range (plist-get edit :range)))
                              (list (agentfs-client--point (plist-get range :start))
                                    (agentfs-client--point (plist-get range :end))
                                    (plist-get edit :newText))))
                          edits)))
      (save-excursion
        (pcase-dolist (`(,begin ,end ,text) (sort (nreverse places) (lambda (a b) (> (car a) (car b)))))
          (if (or (= begin end) (string-empty-p text))
              (progn (delete-region begin end)
                     (goto-char begin)
                     (insert text))
            (replace-region-contents begin end (lambda () text) 0.2)))))))

(defun agentfs-client-save (client uri)
  "Save the buffer of CLIENT for URI without a question: (:uri :saved :reason)."
  (let ((buffer (agentfs-client-buffer client uri)))
    (condition-case problem
        (with-current-buffer (or buffer (error "The buffer was killed"))
          (unless (verify-visited-file-modtime buffer)
            (error "The file has changed on disk"))
          (unless (agentfs-client--encodable-p)
            (error "Its encoding has no code for some characters"))
          (let ((inhibit-interaction t) (inhibit-message t)
                (inhibit-quit nil)) ; C-g ends a formatter that takes long
            (save-buffer))
          (if (buffer-modified-p)
              (error "Emacs did not save it")
            (list :uri uri :saved t)))
      ((error quit)
       (list :uri uri :saved :json-false :reason (error-message-string problem))))))

(defun agentfs-client--encodable-p ()
  "Whether the current buffer can be saved in its encoding without a question."
  (let ((coding buffer-file-coding-system))
    (or (null coding)
        (memq (coding-system-base coding) '(undecided prefer-utf-8 raw-text no-conversion))
        (null (unencodable-char-position (point-min) (point-max) coding)))))

(cl-defmethod agentfs-client-notified (_client _method _params)
  "Ignore the others."
  nil)

(cl-defmethod agentfs-client-notified (client (_ (eql agentfs/statusChanged)) params)
  "Note from PARAMS whether anything needs no review of CLIENT."
  (let ((auto (or (equal (plist-get params :mode) "auto_edit")
                  (seq-some (lambda (session) (equal (plist-get session :mode) "auto_edit"))
                            (plist-get params :sessions)))))
    (unless (eq auto (agentfs-client-auto client))
      (setf (agentfs-client-auto client) auto)
      (force-mode-line-update t))))

(cl-defmethod agentfs-client-asked (_client _method _params answer)
  "ANSWER others with null."
  (funcall answer nil))

(cl-defmethod agentfs-client-asked (_client (_ (eql workspace/configuration)) params answer)
  "ANSWER with the user's settings for the items of PARAMS."
  (funcall answer (vconcat (mapcar (lambda (item)
                                     (and (equal (plist-get item :section) "agentfs")
                                          (default-value 'agentfs-settings)))
                                   (plist-get params :items)))))

(cl-defmethod agentfs-client-asked (client (_ (eql workspace/applyEdit)) params answer)
  "ANSWER that a proposal waits, or apply an edit of CLIENT from PARAMS."
  (let ((edit (plist-get params :edit)))
    (if (plist-get edit :changeAnnotations)
        (funcall answer '(:applied :json-false :failureReason "agentfs:pending"))
      (funcall answer (agentfs-client--apply-and-save client edit)))))

(defun agentfs-client--apply-and-save (client edit)
  "Apply EDIT to buffers of CLIENT; save those that were not modified before."
  (let* ((uris (mapcar (lambda (change) (plist-get (plist-get change :textDocument) :uri))
                       (plist-get edit :documentChanges)))
         (to-save (agentfs-client--to-save client uris))
         (failed (seq-find (lambda (file) (not (eq (plist-get file :applied) t)))
                           (agentfs-client-apply client edit))))
    (if failed
        (list :applied :json-false :failureReason (plist-get failed :reason))
      (dolist (uri to-save) (agentfs-client-save client uri))
      '(:applied t))))

(defun agentfs-client--to-save (client uris)
  "Those of URIS whose buffers of CLIENT are saved after an edit without a review."
  (pcase (plist-get (default-value 'agentfs-settings) :save)
    ("never" nil)
    ("always" uris)
    (_ (seq-remove (lambda (uri)
                     (when-let ((buffer (agentfs-client-buffer client uri)))
                       (buffer-modified-p buffer)))
                   uris))))

(provide 'agentfs-client)
;;; agentfs-client.el ends here
