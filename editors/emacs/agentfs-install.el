;;; agentfs-install.el --- Install the server, and see whether all works  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; `agentfs-install' installs the server agentfs-lsp if the user agrees, and
;; `agentfs-status' shows on one screen what works and what is missing.

;;; Code:

(require 'agentfs-proposals)

(defcustom agentfs-install-source nil
  "What pip installs as the server: a folder, an address, or a name.
Nil means the clone that this file is in or, without one, agentfs-lsp from PyPI."
  :type '(choice (const :tag "Default" nil) string)
  :risky t
  :group 'agentfs)

(defconst agentfs-install--file (or load-file-name buffer-file-name) "This file.")

(defun agentfs-install--source ()
  "What pip shall install."
  (let ((clone (and agentfs-install--file
                    (expand-file-name "../../" (file-name-directory (file-truename agentfs-install--file))))))
    (cond (agentfs-install-source)
          ((and clone (file-exists-p (expand-file-name "server/agentfs_lsp" clone)))
           (directory-file-name clone))
          (t "agentfs-lsp"))))

(defun agentfs-install--python ()
  "A Python of 3.11 or newer, or nil."
  (seq-some (lambda (name)
              (when-let ((program (executable-find name)))
                (and (eq 0 (call-process program nil nil nil "-c"
                                         "import sys, venv; sys.exit(sys.version_info < (3, 11))"))
                     program)))
            '("python3" "python3.14" "python3.13" "python3.12" "python3.11")))

(defun agentfs-install--ways ()
  "The ways to install the server here: (NAME COMMAND...), each a list of words."
  (let* ((source (agentfs-install--source))
         (venv (expand-file-name "venv" agentfs-client-folder))
         (python (agentfs-install--python)))
    (delq nil
          (list (when (executable-find "uv") `("uv tool" ("uv" "tool" "install" "--force" ,source)))
                (when (executable-find "pipx") `("pipx" ("pipx" "install" "--force" ,source)))
                (when python
                  `("own environment" (,python "-m" "venv" ,venv)
                    (,(expand-file-name "bin/python" venv) "-m" "pip" "install" "--quiet" "--upgrade"
                     "--disable-pip-version-check" ,source)))))))

;;;###autoload
(defun agentfs-install ()
  "Install the server with uv, pipx, or in an environment of its own.
Asks first, and runs beside Emacs."
  (interactive)
  (let* ((ways (or (agentfs-install--ways)
                   (user-error "Install uv, pipx, or Python 3.11 or newer first")))
         (name (completing-read "Install the server agentfs-lsp with: " (mapcar #'car ways) nil t nil nil (caar ways)))
         (commands (cdr (assoc name ways))))
    (if (y-or-n-p (format "Run %s? " (mapconcat #'agentfs-install--words commands " and then ")))
        (agentfs-install--run commands)
      (message "agentfs: nothing installed"))))

(defun agentfs-install--words (command)
  "COMMAND as one would type it."
  (mapconcat #'shell-quote-argument command " "))

(defun agentfs-install--run (commands)
  "Run COMMANDS one after the other, beside Emacs."
  (with-current-buffer (get-buffer-create "*agentfs install*")
    (goto-char (point-max))
    (insert "$ " (agentfs-install--words (car commands)) "\n")
    (make-process
     :name "agentfs install" :buffer (current-buffer) :command (car commands) :connection-type 'pipe
     :noquery t
     :sentinel (lambda (process _)
                 (unless (process-live-p process)
                   (cond ((/= 0 (process-exit-status process))
                          (message "agentfs: the installation failed; see the buffer *agentfs install*"))
                         ((cdr commands) (agentfs-install--run (cdr commands)))
                         (t (agentfs-install--done)))))))
  (message "agentfs: installing; you can go on working"))

(defun agentfs-install--done ()
  "Start servers now that there is one."
  (if (null (agentfs-client-program))
      (message "agentfs: installed, but agentfs-lsp is not on `exec-path'")
    (message "agentfs: installed")
    (dolist (buffer (buffer-list))
      (with-current-buffer buffer
        (agentfs-client-attach)))))

;;; Status

(defvar agentfs-mode)

(defun agentfs-install--line (fine what text &optional missing)
  "Insert a line about WHAT: TEXT and, if not FINE, what is MISSING."
  (insert (if fine (propertize "  ok  " 'face 'success) (propertize "  !!  " 'face 'warning))
          (format "%-14s %s\n" what text))
  (when (and missing (not fine))
    (insert (make-string 21 ?\s) "→ " missing "\n")))

;;;###autoload
(defun agentfs-status ()
  "Show whether agentfs works here, and what is missing."
  (interactive)
  (let* ((from (current-buffer))
         (root (agentfs-client--root))
         (client (agentfs-client-current))
         (buffer (get-buffer-create "*agentfs status*")))
    (with-current-buffer buffer
      (let ((inhibit-read-only t))
        (erase-buffer)
        (special-mode)
        (insert (propertize "agentfs" 'face 'bold) "\n\n")
        (agentfs-install--about-server)
        (agentfs-install--line (bound-and-true-p agentfs-mode) "agentfs-mode"
                               (if (bound-and-true-p agentfs-mode) "on" "off") "M-x agentfs-mode")
        (agentfs-install--line root "project" (if root (abbreviate-file-name root) "none for this buffer")
                               "Visit a file of a project, such as a git repository.")
        (agentfs-install--about-client client)
        (agentfs-install--about-buffer from client)
        (goto-char (point-min))))
    (when (and client (eq (agentfs-client-state client) 'ready))
      (agentfs-install--ask-server client buffer))
    (pop-to-buffer buffer)))

(defun agentfs-install--about-server ()
  "Insert a line about the server's program."
  (let ((program (agentfs-client-program)))
    (agentfs-install--line program "server" (if program (string-join program " ") "agentfs-lsp was not found")
                           "M-x agentfs-install")))

(defun agentfs-install--about-client (client)
  "Insert a line about the connection of CLIENT."
  (let ((state (and client (agentfs-client-state client))))
    (agentfs-install--line
     (eq state 'ready) "connection"
     (pcase state
       ('ready (format "agentfs-lsp %s, for %d buffers" (plist-get (agentfs-client-info client) :version)
                       (hash-table-count (agentfs-client-buffers client))))
       ('starting "starting")
       ('failed "the server has ended")
       (_ "none"))
     "Visit a file of the project; if that does not help, M-x agentfs-restart")))

(defun agentfs-install--about-buffer (buffer client)
  "Insert a line about BUFFER, of CLIENT."
  (let ((attached (buffer-local-value 'agentfs-client--document buffer)))
    (when (and client (buffer-file-name buffer))
      (agentfs-install--line attached "this buffer"
                             (if attached "agents see its text, saved or not" "agents see only its file")
                             "Its file is not in the project's folder."))))

(defun agentfs-install--ask-server (client buffer)
  "Add to BUFFER the answers of the server of CLIENT."
  (agentfs-client-ask
   client 'agentfs/status nil
   (lambda (answer)
     (let ((data (plist-get answer :data)))
       (agentfs-install--add
        buffer
        (lambda ()
          (agentfs-install--line (equal (plist-get data :rung) "review") "review"
                                 (if (equal (plist-get data :mode) "auto_edit")
                                     "changes land without one (approval.mode is auto_edit)"
                                   "every change waits for you"))
          (agentfs-install--line t "waiting" (format "%d for you, %d in all" (agentfs-proposals-count)
                                                     (length (plist-get data :pending)))))))))
  (agentfs-client-ask
   client 'agentfs/agents (make-hash-table)
   (lambda (answer)
     (agentfs-install--add
      buffer
      (lambda ()
        (let ((agents (append (plist-get answer :agents) nil))
              (editors (append (plist-get answer :editors) nil)))
          (unless agents
            (agentfs-install--line t "agents" "none from outside; agentfs-lsp connect connects them"))
          (dolist (agent agents)
            (agentfs-install--about-agent client agent))
          (when editors
            (agentfs-install--line nil "other editors" (mapconcat #'agentfs-text-line editors ", ")
                                   "They have this folder open too: agents may propose there."))))))))

(defun agentfs-install--about-agent (client agent)
  "Insert a line about AGENT, which is connected to CLIENT, with a button."
  (let ((name (agentfs-text-line (plist-get agent :name) 60)) (id (plist-get agent :id)))
    (agentfs-install--line t "agent" name)
    (insert (make-string 21 ?\s))
    (insert-text-button
     "disconnect" 'action
     (lambda (_)
       (when (y-or-n-p (format "Disconnect %s, and withdraw what it proposes? " name))
         (agentfs-client-ask client 'agentfs/disconnect (list :id id)
                             (lambda (answer)
                               (message (if (eq (plist-get answer :ok) t)
                                            "agentfs: disconnected"
                                          "agentfs: it was not connected any more")))))))
    (insert "\n")))

(defun agentfs-install--add (buffer function)
  "Call FUNCTION at the end of BUFFER."
  (when (buffer-live-p buffer)
    (with-current-buffer buffer
      (let ((inhibit-read-only t))
        (save-excursion
          (goto-char (point-max))
          (funcall function))))))

(provide 'agentfs-install)
;;; agentfs-install.el ends here
