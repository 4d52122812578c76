;;; check.el --- Compile and lint the package  -*- lexical-binding: t; no-byte-compile: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; emacs -Q --batch -l test/check.el

;; Compiles the package in a temporary folder, where each warning is an
;; error, and runs checkdoc and, where it is installed, package-lint.

;;; Code:

(require 'checkdoc)
(require 'package)

(defvar agentfs-check-failed nil "Whether anything was found.")

(defconst agentfs-check-folder
  (file-name-directory (directory-file-name (file-name-directory load-file-name)))
  "The package's folder.")

(defun agentfs-check-compile (files)
  "Compile copies of FILES."
  (let* ((folder (make-temp-file "agentfs" t)) (load-path (cons folder load-path))
         (byte-compile-error-on-warn t))
    (dolist (file files)
      (copy-file file (file-name-as-directory folder)))
    (dolist (file files)
      (unless (byte-compile-file (expand-file-name (file-name-nondirectory file) folder))
        (setq agentfs-check-failed t)))
    (delete-directory folder t)))

(defun agentfs-check-docs (file)
  "Run checkdoc on FILE."
  (let ((checkdoc-create-error-function
         (lambda (text start _end &optional _)
           (message "%s:%s: %s" file (line-number-at-pos start) text)
           (setq agentfs-check-failed t)
           nil))
        (checkdoc-package-keywords-flag nil))
    (with-current-buffer (find-file-noselect file)
      (checkdoc-current-buffer t))))

(defun agentfs-check-package (file)
  "Run package-lint on FILE, a part of agentfs.el."
  (with-current-buffer (find-file-noselect file)
    (setq-local package-lint-main-file (expand-file-name "agentfs.el" agentfs-check-folder))
    (dolist (found (seq-remove (lambda (found) ; version 0.16 knows no Emacs after 27
                                 (string-match-p "uninstallable in all released" (nth 3 found)))
                               (package-lint-buffer)))
      (message "%s:%s: %s" file (car found) (nth 3 found))
      (setq agentfs-check-failed t))))

(let ((files (directory-files agentfs-check-folder t "\\`agentfs.*\\.el\\'")))
  (agentfs-check-compile files)
  (mapc #'agentfs-check-docs files)
  (add-to-list 'package-directory-list "/usr/share/emacs/site-lisp/elpa") ; Debian's
  (package-initialize)
  (if (require 'package-lint nil t)
      (mapc #'agentfs-check-package files)
    (message "package-lint is not installed"))
  (kill-emacs (if agentfs-check-failed 1 0)))

;;; check.el ends here
