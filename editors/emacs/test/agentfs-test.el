;;; agentfs-test.el --- Tests without a server  -*- lexical-binding: t; no-byte-compile: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; emacs -Q --batch -L . -l test/agentfs-test.el -f ert-run-tests-batch-and-exit

;;; Code:

(require 'ert)
(require 'agentfs)

;;; Texts

(defun agentfs-test--text (lines)
  "A text of at most LINES lines, of few words, perhaps without a last line end."
  (concat (apply #'concat (cl-loop repeat (random lines) collect (format "%c\n" (+ ?a (random 5)))))
          (nth (random 2) '("" "z"))))

(ert-deftest agentfs-test-differences-lead-back ()
  "Taken back, the differences of two texts leave the first one."
  (dotimes (_ 500)
    (let* ((before (agentfs-test--text 12)) (after (agentfs-test--text 12))
           (old (agentfs-text-lines before)) (new (agentfs-text-lines after)))
      (should (equal before (agentfs-text-without old new (agentfs-text-changes old new)))))))

(ert-deftest agentfs-test-differences-are-short ()
  "A changed line is one difference, and one that is too long to look for a block."
  (should (equal '((1 2 1 2)) (agentfs-text-changes ["a\n" "b\n" "c\n"] ["a\n" "B\n" "c\n"])))
  (should (equal nil (agentfs-text-changes ["a\n"] ["a\n"])))
  (let ((agentfs-text--effort 3))
    (should (equal '((0 5 0 5)) (agentfs-text-changes ["a" "b" "c" "d" "e"] ["1" "b" "2" "d" "3"])))))

(ert-deftest agentfs-test-one-hunk-taken-back ()
  "Without one of two differences, the other one remains."
  (let* ((old (agentfs-text-lines "a\nb\nc\n")) (new (agentfs-text-lines "A\nb\nC\n"))
         (changes (agentfs-text-changes old new)))
    (should (equal "a\nb\nC\n" (agentfs-text-without old new (list (car changes)))))
    (should (equal "A\nb\nc\n" (agentfs-text-without old new (cdr changes))))))

(ert-deftest agentfs-test-nothing-of-others-is-shown-raw ()
  "Characters that can't be seen, or control others, are shown as codes."
  (should (equal "a\\u202eb\\x1b[31m\\u200b" (agentfs-text-shown "a\u202eb\e[31m\u200b")))
  (should (equal "\\x0d" (agentfs-text-shown "\r")))
  (should (equal "été\t\n" (agentfs-text-shown "été\t\n")))
  (should (equal "one two" (agentfs-text-line "one\n\ttwo")))
  (should (equal "on…" (agentfs-text-line "one two" 3))))

(ert-deftest agentfs-test-the-home-folder-is-no-project ()
  "Nor is a folder above it, whatever the project's root is said to be."
  (dolist (root '("~/" "/"))
    (let ((agentfs-root-function (lambda () root)))
      (should-not (agentfs-client--root))))
  (let ((agentfs-root-function (lambda () temporary-file-directory)))
    (should (agentfs-client--root))))

;;; What the server is told of buffers

(defmacro agentfs-test--with-buffer (text &rest body)
  "Attach a buffer with TEXT to a client without a server, and run BODY there.
The variable `told' has what the server would have been told, newest first."
  (declare (indent 1))
  `(let* ((client (agentfs-client--create :root "/nowhere/" :state 'ready)) (told nil)
          (agentfs-clients (list (cons "/nowhere/" client))))
     (cl-letf (((symbol-function 'agentfs-client-tell)
                (lambda (_ method params) (push (cons method params) told))))
       (with-temp-buffer
         (insert ,text)
         (setq buffer-file-name "/nowhere/a.txt")
         (unwind-protect
             (progn (agentfs-client--open client)
                    ,@body)
           (setq buffer-file-name nil)
           (set-buffer-modified-p nil))))))

(defun agentfs-test--replayed (text changes)
  "TEXT after CHANGES, which `textDocument/didChange' reported."
  (with-temp-buffer
    (insert text)
    (seq-doseq (change changes)
      (let ((range (plist-get change :range)))
        (if (null range)
            (erase-buffer)
          (let ((begin (agentfs-client--point (plist-get range :start))))
            (delete-region begin (agentfs-client--point (plist-get range :end)))
            (goto-char begin)))
        (insert (plist-get change :text))))
    (buffer-string)))

(ert-deftest agentfs-test-changes-are-told-as-they-are ()
  "The changes that are told lead to the buffer's text, whatever they are."
  (dotimes (_ 200)
    (agentfs-test--with-buffer "one 😀\ntwo\n"
      (dotimes (_ 5)
        (goto-char (+ (point-min) (random (1+ (buffer-size)))))
        (if (= 0 (random 2))
            (delete-region (point) (min (point-max) (+ (point) (random 4))))
          (insert (nth (random 4) '("x" "😀" "\n" "é\né")))))
      (agentfs-client--flush)
      (when-let ((change (alist-get 'textDocument/didChange told)))
        (should (equal (buffer-string)
                       (agentfs-test--replayed "one 😀\ntwo\n" (plist-get change :contentChanges))))))))

(ert-deftest agentfs-test-changes-without-a-range-are-told-as-a-whole ()
  "If a change can't be told by its place, the whole text is."
  (agentfs-test--with-buffer "one\n"
    (let ((before-change-functions nil))
      (insert "two"))
    (agentfs-client--flush)
    (should (equal [(:text "one\ntwo")]
                   (plist-get (alist-get 'textDocument/didChange told) :contentChanges)))))

(ert-deftest agentfs-test-positions-are-in-utf-16 ()
  "Characters beyond U+FFFF count twice."
  (with-temp-buffer
    (insert "one\n😀é")
    (should (equal '(:line 1 :character 3) (agentfs-client--position (point-max))))
    (should (equal (point-max) (agentfs-client--point '(:line 1 :character 3))))
    (should (equal (point-max) (agentfs-client--point '(:line 9 :character 0))))))

(ert-deftest agentfs-test-bytes-are-told-as-replacement-characters ()
  "What is no character can't be in JSON."
  (with-temp-buffer
    (insert "a" (string #x3fff80 #xd800))
    (should (equal "a\ufffd\ufffd" (agentfs-client-text)))))

(ert-deftest agentfs-test-files-and-uris ()
  "A file's URI leads back to it."
  (dolist (file '("/a b/ü#?%.txt" "/日本/x;y"))
    (should (equal file (agentfs-client-file (agentfs-client-uri file))))))

(ert-deftest agentfs-test-encodings ()
  "The server is told the encoding in which a buffer will be saved."
  (pcase-dolist (`(,coding . ,name) '((utf-8-unix . "utf-8") (utf-8-with-signature-dos . "utf8bom")
                                      (chinese-gbk . "gbk") (undecided-unix) (raw-text)))
    (with-temp-buffer
      (setq buffer-file-coding-system coding)
      (should (equal name (agentfs-client--encoding))))))

(ert-deftest agentfs-test-an-edit-of-another-version-is-not-applied ()
  "Nothing is changed if one of the buffers has another version."
  (agentfs-test--with-buffer "one\n"
    (let* ((uri (agentfs-client-uri "/nowhere/a.txt"))
           (edit (lambda (version)
                   `(:documentChanges
                     [(:textDocument (:uri ,uri :version ,version)
                       :edits [(:range (:start (:line 0 :character 0) :end (:line 1 :character 0))
                                :newText "two\n")])]))))
      (cl-letf (((symbol-function 'agentfs-client-obstacle) #'ignore))
        (should (eq :json-false (plist-get (aref (agentfs-client-apply client (funcall edit 7)) 0) :applied)))
        (should (equal "one\n" (buffer-string)))
        (should (eq t (plist-get (aref (agentfs-client-apply client (funcall edit 0)) 0) :applied)))
        (should (equal "two\n" (buffer-string)))))))

;;; Proposals

(defmacro agentfs-test--with-proposal (&rest body)
  "Run BODY with a `proposal' that waits, and what has been `asked' of its server."
  (declare (indent 0))
  `(let* ((client (agentfs-client--create :root "/nowhere/" :state 'ready)) (asked nil)
          (agentfs-proposals nil) (agentfs-proposals-questions nil) (agentfs-proposals--drafts nil)
          (agentfs-proposed-functions nil) (agentfs-settled-functions nil)
          (data '(:id "1" :title "Edit a.txt" :agent "Ada" :session "s" :explanation "" :state "shown" :atomic t
                  :files [(:uri "file:///nowhere/a.txt" :path "a.txt" :operation "update" :base_hash "h"
                           :base_text "one\ntwo\n" :proposed_text "1\n2\n" :encoding "utf-8" :eol "lf")])))
     (cl-letf (((symbol-function 'agentfs-client-ask)
                (lambda (_ method params answered &rest _) (push (list method params answered) asked))))
       (agentfs-client-notified client 'agentfs/proposed data)
       (funcall (nth 2 (car asked)) data)
       (let ((proposal (car agentfs-proposals)))
         (ignore proposal)
         (unwind-protect
             (progn ,@body)
           (when (get-buffer agentfs-review--buffer)
             (kill-buffer agentfs-review--buffer)))))))

(ert-deftest agentfs-test-transitions ()
  "Each event leads to a state of the table."
  (let ((states (mapcar #'car agentfs-proposals--transitions)))
    (pcase-dolist (`(,_ . ,events) agentfs-proposals--transitions)
      (pcase-dolist (`(,_ . ,next) events)
        (should (memq next states))))))

(ert-deftest agentfs-test-a-proposal-is-decided-once ()
  "A second decision is not sent."
  (agentfs-test--with-proposal
    (agentfs-proposals-accept proposal)
    (agentfs-proposals-reject proposal "no")
    (should (equal '(agentfs/settle agentfs/proposal) (mapcar #'car asked)))
    (should (equal '(:id "1" :decision "accepted") (nth 1 (car asked))))))

(ert-deftest agentfs-test-an-invalid-decision-leaves-it-waiting ()
  "After INVALID_PARAM the user can decide again."
  (agentfs-test--with-proposal
    (agentfs-proposals-accept proposal)
    (funcall (nth 2 (car asked)) '(:ok :json-false :code "INVALID_PARAM" :reason "No."))
    (should (eq 'waiting (agentfs-proposal-state proposal)))))

(ert-deftest agentfs-test-what-the-user-changed-is-sent-exactly ()
  "An amended text is sent as it is; one equal to the proposed text is no amendment."
  (agentfs-test--with-proposal
    (let ((file (car (agentfs-proposal-files proposal))))
      (should-not (agentfs-proposals--decision file))
      (agentfs-proposals-set-text proposal file "\ufeff1\ntwo")
      (should (equal '(:uri "file:///nowhere/a.txt" :decision "amended" :text "\ufeff1\ntwo")
                     (agentfs-proposals--decision file))))))

(ert-deftest agentfs-test-a-draft-survives-the-server ()
  "What the user made of a proposal is there when it is proposed again."
  (agentfs-test--with-proposal
    (agentfs-proposals-set-text proposal (car (agentfs-proposal-files proposal)) "mine\n")
    (setf (agentfs-client-state client) 'failed)
    (agentfs-proposals--client-changed client)
    (should (eq 'lost (agentfs-proposal-state proposal)))
    (setf (agentfs-client-state client) 'ready)
    (let ((again (plist-put (copy-sequence data) :id "2")))
      (agentfs-client-notified client 'agentfs/proposed again)
      (funcall (nth 2 (car asked)) again))
    (should (= 1 (length agentfs-proposals)))
    (should (equal "mine\n" (agentfs-file-text (car (agentfs-proposal-files (car agentfs-proposals))))))))

(ert-deftest agentfs-test-a-request-is-repeated-with-what-the-agent-had-read ()
  "The next server does not know what the agent has read: the hash says it."
  (agentfs-test--with-proposal
    (setf (agentfs-client-state client) 'failed)
    (agentfs-proposals--client-changed client)
    (let ((request (make-agentfs-request :client client :params '(:path "a.txt" :session "s"))))
      (should (equal '(:expected_hash "h" :path "a.txt" :session "s") (agentfs-proposals--resume request)))
      (setf (agentfs-request-params request) '(:path "b.txt"))
      (should-not (agentfs-proposals--resume request)))))

(ert-deftest agentfs-test-a-question-that-is-withdrawn-is-no-longer-listed ()
  "The server withdraws a question with `$/cancelRequest'."
  (agentfs-test--with-proposal
    (agentfs-client-asked client 'window/showMessageRequest
                          '(:message "?" :actions [(:title "Deny") (:title "Allow once")] :id "q") #'ignore)
    (should (= 2 (agentfs-proposals-count)))
    (agentfs-client-notified client '$/cancelRequest '(:id "q"))
    (should (= 1 (agentfs-proposals-count)))))

;;; The review

(ert-deftest agentfs-test-the-review-shows-nothing-raw ()
  "Name, reason, path, and lines of others are shown with codes, and as what they are."
  (agentfs-test--with-proposal
    (setf (plist-get (agentfs-proposal-data proposal) :agent) "A\u202eda\n+++ b/x")
    (setf (plist-get (agentfs-proposal-data proposal) :explanation) "why\n@@ -1 +1 @@\n\u202e")
    (agentfs-proposals-set-text proposal (car (agentfs-proposal-files proposal))
                                "1\n-*- eval: (error \"no\") -*-\u200b\n")
    (agentfs-review-show proposal t)
    (with-current-buffer agentfs-review--buffer
      (should-not (string-match-p "[\u202e\u200b]" (buffer-string)))
      (goto-char (point-min))
      (should (= 1 (how-many "^@@")))
      (should (= 1 (how-many "^\\+\\+\\+")))
      (should (search-forward "A\\u202eda +++ b/x" nil t)))))

(ert-deftest agentfs-test-a-hunk-names-its-lines ()
  "The lines of a hunk are those that it says."
  (agentfs-test--with-proposal
    (agentfs-review-show proposal t)
    (with-current-buffer agentfs-review--buffer
      (should (string-suffix-p "@@ -1,2 +1,2 @@\n-one\n-two\n+1\n+2\n" (buffer-string))))))

(ert-deftest agentfs-test-what-has-not-been-seen-is-not-accepted ()
  "Neither at once, nor after a change that has not been drawn."
  (agentfs-test--with-proposal
    (agentfs-review-show proposal)
    (with-current-buffer agentfs-review--buffer
      (should-error (agentfs-review-accept) :type 'user-error)
      (setq agentfs-review--ready 0)
      (when agentfs-review--timer (cancel-timer agentfs-review--timer))
      (setq agentfs-review--timer nil)
      (setf (agentfs-file-text (car (agentfs-proposal-files proposal))) "other\n")
      (should-error (agentfs-review-accept) :type 'user-error)
      (should (eq 'waiting (agentfs-proposal-state proposal))))))

(ert-deftest agentfs-test-a-withdrawn-proposal-is-not-accepted ()
  "The review says what became of it."
  (agentfs-test--with-proposal
    (agentfs-review-show proposal)
    (agentfs-client-notified client 'agentfs/settled '(:id "1" :outcome "withdrawn" :reason "agent"))
    (with-current-buffer agentfs-review--buffer
      (should (string-match-p "withdrew it" (agentfs-review--header)))
      (should-error (agentfs-review-accept) :type 'user-error))))

(ert-deftest agentfs-test-no-variables-of-the-text-take-effect ()
  "A text to amend sets no variables and chooses no mode."
  (let* ((file (agentfs-proposals--file :path "a.el"))
         (buffer (agentfs-amend--buffer "*x*" ";; -*- mode: text; fill-column: 7; eval: (error \"no\") -*-\n" file)))
    (with-current-buffer buffer
      (should (eq 'emacs-lisp-mode major-mode))
      (should-not (eql 7 fill-column))
      (kill-buffer))))

(ert-deftest agentfs-test-no-variables-of-a-folder-take-effect ()
  "The review sets no variables of the folder in which it is opened."
  (let* ((folder (file-name-as-directory (make-temp-file "agentfs-test" t)))
         (default-directory folder) (enable-local-variables :all))
    (write-region "((nil . ((fill-column . 7))))" nil (expand-file-name ".dir-locals.el") nil 'silent)
    (unwind-protect
        (with-current-buffer (agentfs-review--get-buffer)
          (should-not (eql 7 fill-column))
          (kill-buffer))
      (delete-directory folder t))))

(provide 'agentfs-test)
;;; agentfs-test.el ends here
