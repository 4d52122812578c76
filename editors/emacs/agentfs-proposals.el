;;; agentfs-proposals.el --- Pending proposals and what becomes of them  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; The only file that changes a proposal.  Others read proposals, ask this
;; file for decisions, and are told of changes by hooks.  It follows
;; docs/protocol.md, section 9.1.

;;; Code:

(require 'agentfs-client)
(require 'agentfs-text)

(cl-defstruct (agentfs-proposal (:constructor agentfs-proposals--create) (:copier nil))
  "A change that an agent proposes.
STATE is one of `agentfs-proposals--transitions'.  DATA is what the server
announced.  ASIDE is non-nil if the user put it off.  WHY is the server's reason
for its OUTCOME, if it gave one.  APART are the outcomes of its files, if some of
it landed and they ended in different ways."
  client id (state 'loading) data files outcome apart why aside)

(cl-defstruct (agentfs-file (:constructor agentfs-proposals--file) (:copier nil))
  "A file of a proposal.
BASE and PROPOSED are its texts, TEXT the one that accepting it would leave.
OUT is non-nil if the user rejects this file.  DRAFT is a text from an earlier
review of it.  CHECKED is (TICK . STALE): when its buffer was compared with BASE."
  uri path operation base proposed text out draft hash warnings encoding eol checked)

(cl-defstruct (agentfs-question (:copier nil))
  "A question of the server, such as whether a file may be read.
ID is the request's, and SINCE when it came.  CHOICES are the answers, of which
the first is the refusal."
  client id text choices answer (since (float-time)))

(defconst agentfs-proposals--transitions
  '((loading  (show . waiting) (end . ended) (lose . lost))
    (waiting  (decide . deciding) (end . ended) (lose . lost))
    (deciding (refuse . waiting) (end . ended) (lose . ended))
    (lost     (end . ended))
    (ended))
  "The state that follows a state and an event.
In `waiting' the user decides, in `deciding' the server carries that out.  A
proposal is `lost' if the server ended before the user decided.")

(defvar agentfs-proposals nil "The proposals that have not ended, oldest first.")

(defvar agentfs-proposals-questions nil "The server's questions without an answer, oldest first.")

(defvar agentfs-proposals--drafts nil
  "What the user made of proposals that ended without it, newest first.
Each is (URI BASE PROPOSED TEXT).")

(defvar agentfs-proposed-functions nil
  "Functions to call with each new proposal, an `agentfs-proposal'.")

(defvar agentfs-settled-functions nil
  "Functions to call with each proposal that has ended, and its outcome.
The outcome is a string of docs/protocol.md, section 9.1, such as \"landed\", or
\"lost\" if the server ended.")

(defvar agentfs-proposals-asked-functions nil
  "Functions to call with each new `agentfs-question'.")

(defvar agentfs-proposals-changed-hook nil
  "Functions to call, without arguments, when proposals or questions change.")

(defun agentfs-proposals-changed ()
  "Tell everybody that proposals have changed."
  (run-hooks 'agentfs-proposals-changed-hook))

(defun agentfs-proposals--step (proposal event)
  "Let EVENT happen to PROPOSAL.  Return its new state, or nil if it can't."
  (when-let ((next (alist-get event (alist-get (agentfs-proposal-state proposal)
                                               agentfs-proposals--transitions))))
    (setf (agentfs-proposal-state proposal) next)))

(defun agentfs-proposals-find (client id)
  "The proposal ID of CLIENT that has not ended, or nil."
  (seq-find (lambda (proposal) (and (eq (agentfs-proposal-client proposal) client)
                                    (equal (agentfs-proposal-id proposal) id)))
            agentfs-proposals))

(defun agentfs-proposals-waiting ()
  "The proposals about which the user can decide, oldest first."
  (seq-filter (lambda (proposal) (eq (agentfs-proposal-state proposal) 'waiting)) agentfs-proposals))

(defun agentfs-proposals-count ()
  "How much waits for the user."
  (+ (length (agentfs-proposals-waiting)) (length agentfs-proposals-questions)))

(defun agentfs-proposals-get (proposal key)
  "What the server announced of PROPOSAL as KEY, such as :title."
  (plist-get (agentfs-proposal-data proposal) key))

(defun agentfs-proposals-all-or-none-p (proposal)
  "Whether PROPOSAL has several files and rejecting one rejects all."
  (and (cdr (agentfs-proposal-files proposal)) (eq (agentfs-proposals-get proposal :atomic) t)))

;;; Arrival

(cl-defmethod agentfs-client-notified (client (_ (eql agentfs/proposed)) params)
  "A proposal of CLIENT begins, as PARAMS say."
  (agentfs-proposals--fetch client (plist-get params :id) params))

(defun agentfs-proposals--fetch (client id &optional announced)
  "Get the texts of the proposal ID of CLIENT, ANNOUNCED so."
  (unless (agentfs-proposals-find client id)
    (let ((proposal (agentfs-proposals--create :client client :id id :data announced)))
      (setq agentfs-proposals (append agentfs-proposals (list proposal)))
      (agentfs-client-ask client 'agentfs/proposal (list :id id)
                          (lambda (answer) (agentfs-proposals--fetched proposal answer))
                          (lambda (code _)
                            (unless (eq code -1) ; the server has died
                              (agentfs-proposals--end proposal "failed")))))))

(defun agentfs-proposals--fetched (proposal answer)
  "The server's ANSWER has the texts of PROPOSAL."
  (if (not (plist-get answer :files))
      (agentfs-proposals--end proposal "failed")
    (setf (agentfs-proposal-data proposal) answer
          (agentfs-proposal-files proposal) (mapcar #'agentfs-proposals--file-of (plist-get answer :files)))
    (when (agentfs-proposals--step proposal 'show)
      (agentfs-proposals--forget-lost proposal)
      (if (equal (plist-get answer :state) "landing")
          (agentfs-proposals-settle proposal "accepted") ; decided before: what was sent first counts
        (run-hook-with-args 'agentfs-proposed-functions proposal))
      (agentfs-proposals-changed))))

(defun agentfs-proposals--file-of (data)
  "The file that DATA describes, with the user's draft if there is one."
  (let* ((uri (plist-get data :uri))
         (base (or (plist-get data :base_text) ""))
         (proposed (or (plist-get data :proposed_text) ""))
         (draft (assoc uri agentfs-proposals--drafts))
         (same (equal (seq-take (cdr draft) 2) (list base proposed))))
    (when draft
      (setq agentfs-proposals--drafts (delq draft agentfs-proposals--drafts)))
    (agentfs-proposals--file
     :uri uri :path (plist-get data :path) :operation (plist-get data :operation)
     :base base :proposed proposed :text (if same (nth 3 draft) proposed)
     :draft (and draft (not same) (nth 3 draft))
     :hash (plist-get data :base_hash)
     :warnings (append (plist-get data :warnings) nil)
     :encoding (plist-get data :encoding) :eol (plist-get data :eol))))

(defun agentfs-proposals--forget-lost (proposal)
  "Forget lost proposals whose files PROPOSAL has."
  (let ((uris (mapcar #'agentfs-file-uri (agentfs-proposal-files proposal))))
    (dolist (other agentfs-proposals)
      (when (and (eq (agentfs-proposal-state other) 'lost)
                 (seq-every-p (lambda (file) (member (agentfs-file-uri file) uris))
                              (agentfs-proposal-files other)))
        (agentfs-proposals--remove other)))))

(defun agentfs-proposals-recover (client)
  "Find the proposals of CLIENT that this Emacs has forgotten, as after a reload."
  (agentfs-client-ask client 'agentfs/status nil
                      (lambda (answer)
                        (seq-doseq (pending (plist-get (plist-get answer :data) :pending))
                          (unless (equal (plist-get pending :state) "queued")
                            (agentfs-proposals--fetch client (plist-get pending :id)))))
                      #'ignore))

;;; What the user makes of it

(defun agentfs-proposals-set-text (proposal file text)
  "Accepting PROPOSAL shall leave FILE with TEXT."
  (when (eq (agentfs-proposal-state proposal) 'waiting)
    (setf (agentfs-file-text file) text
          (agentfs-file-out file) nil)
    (agentfs-proposals-changed)))

(defun agentfs-proposals-set-out (proposal file out)
  "Accepting PROPOSAL shall leave FILE as it is if OUT is non-nil.
A string tells the agent why."
  (when (eq (agentfs-proposal-state proposal) 'waiting)
    (setf (agentfs-file-out file) out)
    (agentfs-proposals-changed)))

(defun agentfs-proposals-put-aside (proposal)
  "The user decides about PROPOSAL later."
  (setf (agentfs-proposal-aside proposal) t)
  (agentfs-proposals-changed))

(defun agentfs-proposals-obstacle (proposal)
  "Why PROPOSAL can't be accepted as it is, in a sentence, or nil."
  (pcase (agentfs-proposal-state proposal)
    ('loading "The server has not sent it yet.")
    ('deciding "You have decided about it already.")
    ('lost "The server ended before you decided.  The agent has to propose it again.")
    ('ended (agentfs-proposals-ended-sentence proposal))
    ('waiting (seq-some (lambda (file)
                          (unless (agentfs-file-out file)
                            (agentfs-proposals-file-obstacle proposal file)))
                        (agentfs-proposal-files proposal)))))

(defun agentfs-proposals-file-obstacle (proposal file)
  "Why FILE of PROPOSAL can't be changed now, in a sentence, or nil."
  (let* ((path (agentfs-text-line (agentfs-file-path file)))
         (buffer (agentfs-client-buffer (agentfs-proposal-client proposal) (agentfs-file-uri file)))
         (problem (and buffer (agentfs-client-obstacle buffer))))
    (cond ((and buffer (agentfs-proposals--stale-p file buffer))
           (format "%s has changed since the agent read it: undo that, or reject with r." path))
          (problem (format "%s: %s" path problem)))))

(defun agentfs-proposals--stale-p (file buffer)
  "Whether the text of BUFFER is another than the base of FILE."
  (with-current-buffer buffer
    (unless (eql (car (agentfs-file-checked file)) (buffer-chars-modified-tick))
      (setf (agentfs-file-checked file)
            (cons (buffer-chars-modified-tick)
                  (not (agentfs-proposals--same-p (agentfs-client-text) (agentfs-file-base file))))))
    (cdr (agentfs-file-checked file))))

(defun agentfs-proposals--same-p (text base)
  "Whether the TEXT of a buffer is BASE, but for line ends and a byte order mark."
  (let ((plain (lambda (text) (string-remove-prefix "\ufeff" (string-replace "\r\n" "\n" text)))))
    (or (string= text base) (string= (funcall plain text) (funcall plain base)))))

(defun agentfs-proposals-ended-sentence (proposal)
  "What became of PROPOSAL, in a sentence."
  (let ((title (agentfs-text-line (agentfs-proposals-get proposal :title)))
        (why (agentfs-text-line (agentfs-proposal-why proposal)))
        (apart (agentfs-proposals--apart proposal)))
    (format (pcase (agentfs-proposal-outcome proposal)
              ((guard apart) (concat "%s: done, but " apart "."))
              ("landed" "%s: done.")
              ("editor" "%s: in the buffer, unsaved.")
              ("rejected" "%s: rejected, nothing changed.")
              ("withdrawn" "%s: the agent or the server withdrew it, nothing changed.")
              ("timed_out" "%s: timed out, nothing changed.")
              ("conflict" "%s: a file changed meanwhile, so nothing was overwritten; the agent is told.")
              ("lost" "%s: the server ended.  Check the file.")
              (_ "%s: failed.  Check the file. %s"))
            title why)))

(defun agentfs-proposals--apart (proposal)
  "The files of PROPOSAL that did not land where others did, or nil.
In a format string: a percent sign is doubled."
  (let ((said (delq nil (mapcar
                         (lambda (file)
                           (when-let ((what (pcase (plist-get file :outcome)
                                              ("editor" "is in its buffer, unsaved")
                                              ("conflict" "changed meanwhile, so it was left alone")
                                              ("failed" "failed, so check it"))))
                             (concat (agentfs-text-line (plist-get file :path)) " " what)))
                         (agentfs-proposal-apart proposal)))))
    (and said (string-replace "%" "%%" (string-join said ", ")))))

;;; Decisions

(cl-defun agentfs-proposals-accept (proposal &key always)
  "Accept PROPOSAL as the user left it; ALWAYS also accepts what follows it.
If every file is left out, this rejects it."
  (let ((files (delq nil (mapcar #'agentfs-proposals--decision (agentfs-proposal-files proposal))))
        (none (seq-every-p #'agentfs-file-out (agentfs-proposal-files proposal))))
    (agentfs-proposals-settle proposal (cond (none "rejected") (files "amended") (t "accepted"))
                              `(,@(and files `(:files ,(vconcat files)))
                                ,@(and always (not none) '(:always t))))))

(defun agentfs-proposals--decision (file)
  "The decision about FILE, if it differs from accepting it as proposed."
  (let ((uri (agentfs-file-uri file)) (text (agentfs-file-text file)))
    (cond ((agentfs-file-out file)
           `(:uri ,uri :decision "rejected" ,@(agentfs-proposals--feedback (agentfs-file-out file))))
          ((not (string= text (agentfs-file-proposed file)))
           (list :uri uri :decision "amended" :text text)))))

(defun agentfs-proposals-reject (proposal reason)
  "Reject PROPOSAL and tell the agent the REASON, which may be empty."
  (agentfs-proposals-settle proposal "rejected" (agentfs-proposals--feedback reason)))

(defun agentfs-proposals--feedback (reason)
  "The params that tell the agent the REASON, if it is a string that is not empty."
  (when (and (stringp reason) (not (string-empty-p reason)))
    (list :feedback (agentfs-client--clean (substring reason 0 (min 10000 (length reason)))))))

(defun agentfs-proposals-settle (proposal decision &optional more)
  "Send the user's DECISION about PROPOSAL, with MORE params, and carry it out."
  (when (agentfs-proposals--step proposal 'decide)
    (let ((client (agentfs-proposal-client proposal)) (id (agentfs-proposal-id proposal)))
      (agentfs-proposals-changed)
      (agentfs-client-ask client 'agentfs/settle `(:id ,id :decision ,decision ,@more)
                          (lambda (answer) (agentfs-proposals--decided proposal answer))
                          #'ignore))))

(defun agentfs-proposals--decided (proposal answer)
  "Go on with PROPOSAL after the server's ANSWER to the user's decision."
  (let ((edit (plist-get answer :apply)))
    (cond ((not (eq (plist-get answer :ok) t)) (agentfs-proposals--refused proposal answer))
          (edit (agentfs-proposals--land proposal edit)))))

(defun agentfs-proposals--land (proposal edit)
  "Apply EDIT, and save, for PROPOSAL."
  (let* ((client (agentfs-proposal-client proposal)) (id (agentfs-proposal-id proposal))
         (applied (agentfs-client-apply client edit)))
    (agentfs-client-ask
     client 'agentfs/applied (list :id id :files applied)
     (lambda (answer)
       (cond ((not (eq (plist-get answer :ok) t))
              (when-let ((back (plist-get answer :revert)))
                (agentfs-proposals--take-back client back))
              (agentfs-proposals--refused proposal answer))
             ((< 0 (length (plist-get answer :save)))
              (let ((saved (mapcar (lambda (uri) (agentfs-client-save client uri)) (plist-get answer :save))))
                (agentfs-proposals--tell-unsaved saved)
                (agentfs-client-ask client 'agentfs/saved (list :id id :files (vconcat saved))
                                    #'ignore #'ignore)))))
     #'ignore)))

(defun agentfs-proposals--take-back (client edit)
  "Apply EDIT of CLIENT, which takes back an accepted change that failed."
  (when (seq-some (lambda (file) (not (eq (plist-get file :applied) t)))
                  (agentfs-client-apply client edit))
    (agentfs-text-message "agentfs: the change failed and could not be taken back everywhere.  Undo it.")))

(defun agentfs-proposals--tell-unsaved (saved)
  "Tell the user which files of SAVED were not."
  (dolist (file saved)
    (unless (eq (plist-get file :saved) t)
      (agentfs-text-message "agentfs: %s is changed but not saved: %s"
                            (file-name-nondirectory (agentfs-client-file (plist-get file :uri)))
                            (plist-get file :reason)))))

(defun agentfs-proposals--refused (proposal answer)
  "The server has refused the decision about PROPOSAL with ANSWER."
  (setf (agentfs-proposal-why proposal) (plist-get answer :reason))
  (pcase (plist-get answer :code)
    ("INVALID_PARAM"
     (agentfs-text-message "agentfs: %s" (agentfs-proposal-why proposal))
     (agentfs-proposals--step proposal 'refuse)
     (agentfs-proposals-changed))
    ("CONFLICT" (agentfs-proposals--end proposal "conflict"))
    ("WITHDRAWN" (agentfs-proposals--end proposal "withdrawn"))
    ("TIMEOUT" (agentfs-proposals--end proposal "timed_out"))
    (_ (agentfs-proposals--end proposal "failed"))))

;;; The end

(cl-defmethod agentfs-client-notified (client (_ (eql agentfs/settled)) params)
  "A proposal of CLIENT has ended, as PARAMS say."
  (when-let ((proposal (agentfs-proposals-find client (plist-get params :id))))
    (setf (agentfs-proposal-apart proposal) (plist-get params :files))
    (agentfs-proposals--end proposal (plist-get params :outcome))))

(defun agentfs-proposals--end (proposal outcome)
  "PROPOSAL has ended with OUTCOME."
  (when (agentfs-proposals--step proposal 'end)
    (agentfs-proposals--ended proposal outcome)))

(defun agentfs-proposals--ended (proposal outcome)
  "Remove PROPOSAL, which ended with OUTCOME, and tell everybody."
  (setf (agentfs-proposal-outcome proposal) outcome)
  (unless (member outcome '("landed" "editor" "rejected"))
    (mapc #'agentfs-proposals--keep-draft (agentfs-proposal-files proposal)))
  (agentfs-proposals--remove proposal)
  (run-hook-with-args 'agentfs-settled-functions proposal outcome)
  (agentfs-proposals-changed))

(defun agentfs-proposals--remove (proposal)
  "Remove PROPOSAL from the list."
  (setq agentfs-proposals (delq proposal agentfs-proposals)))

(defun agentfs-proposals--keep-draft (file)
  "Keep what the user made of FILE for the next proposal of it."
  (let ((text (or (agentfs-file-draft file) (agentfs-file-text file))))
    (unless (equal text (agentfs-file-proposed file))
      (setf (alist-get (agentfs-file-uri file) agentfs-proposals--drafts nil nil #'equal)
            (list (agentfs-file-base file) (agentfs-file-proposed file) text)))))

(defun agentfs-proposals-keep-text (file text)
  "Keep TEXT, which the user made of FILE, whose proposal has ended.
Return the proposal that has come since for the same file, or nil."
  (setf (agentfs-file-text file) text
        (agentfs-file-draft file) nil)
  (agentfs-proposals--keep-draft file)
  (when-let* ((uri (agentfs-file-uri file))
              (same (lambda (other) (equal (agentfs-file-uri other) uri)))
              (proposal (seq-find (lambda (one) (seq-some same (agentfs-proposal-files one)))
                                  (agentfs-proposals-waiting)))
              (other (seq-find same (agentfs-proposal-files proposal))))
    (setq agentfs-proposals--drafts (assoc-delete-all uri agentfs-proposals--drafts))
    (if (and (equal (agentfs-file-base other) (agentfs-file-base file))
             (equal (agentfs-file-proposed other) (agentfs-file-proposed file)))
        (agentfs-proposals-set-text proposal other text)
      (setf (agentfs-file-draft other) text)
      (agentfs-proposals-changed))
    proposal))

(defun agentfs-proposals-forget (proposal)
  "Forget PROPOSAL, which is lost."
  (agentfs-proposals--end proposal "lost"))

(defun agentfs-proposals--client-changed (client)
  "Find out what the new state of CLIENT means for its proposals."
  (if (eq (agentfs-client-state client) 'ready)
      (agentfs-proposals-recover client)
    (setq agentfs-proposals-questions
          (seq-remove (lambda (question) (eq (agentfs-question-client question) client))
                      agentfs-proposals-questions))
    (dolist (proposal agentfs-proposals)
      (when (eq (agentfs-proposal-client proposal) client)
        (if (eq (agentfs-client-state client) 'ended)
            (agentfs-proposals--end proposal "withdrawn")
          (pcase (agentfs-proposals--step proposal 'lose)
            ('lost (mapc #'agentfs-proposals--keep-draft (agentfs-proposal-files proposal)))
            ('ended (agentfs-proposals--ended proposal "lost"))))))
    (agentfs-proposals-changed)))

(add-hook 'agentfs-client-changed-hook #'agentfs-proposals--client-changed)

;;; Agents' requests after the server has ended

(defun agentfs-proposals--resume (request)
  "The params that propose the change of REQUEST again, or nil.
Its proposal was not decided, so nothing has changed.  The next server does not
know what the agent has read; the hash of that stands in the proposal."
  (let* ((params (agentfs-request-params request))
         (client (agentfs-request-client request))
         (files (agentfs-proposals--paths params (agentfs-client-root client)))
         (proposal (and files (agentfs-proposals--lost-with client files))))
    (when proposal
      (if (plist-get params :operations)
          (plist-put (copy-sequence params) :operations
                     (vconcat (mapcar (lambda (operation)
                                        (plist-put (copy-sequence operation) :params
                                                   (agentfs-proposals--with-hash
                                                    (plist-get operation :params) proposal client)))
                                      (plist-get params :operations))))
        (agentfs-proposals--with-hash params proposal client)))))

(defun agentfs-proposals--paths (params root)
  "The files that PARAMS of a change name, below ROOT."
  (if-let ((operations (plist-get params :operations)))
      (seq-uniq (mapcan (lambda (operation) (agentfs-proposals--paths (plist-get operation :params) root))
                        operations))
    (when-let ((path (or (plist-get params :path)
                         (plist-get (plist-get params :arguments) :path)
                         (plist-get (plist-get params :arguments) :file_path))))
      (list (expand-file-name path root)))))

(defun agentfs-proposals--name (file)
  "The absolute name of FILE."
  (agentfs-client-file (agentfs-file-uri file)))

(defun agentfs-proposals--lost-with (client files)
  "The lost proposal of CLIENT whose files are FILES, or nil."
  (seq-find (lambda (proposal)
              (and (eq (agentfs-proposal-client proposal) client)
                   (eq (agentfs-proposal-state proposal) 'lost)
                   (seq-set-equal-p files (mapcar #'agentfs-proposals--name (agentfs-proposal-files proposal)))))
            agentfs-proposals))

(defun agentfs-proposals--with-hash (params proposal client)
  "PARAMS of a change, with the hash of the file that PROPOSAL of CLIENT is about."
  (let* ((wanted (car (agentfs-proposals--paths params (agentfs-client-root client))))
         (file (seq-find (lambda (file) (equal (agentfs-proposals--name file) wanted))
                         (agentfs-proposal-files proposal)))
         (hash (and file (agentfs-file-hash file))))
    (if hash (append (list :expected_hash hash) params) params)))

(setq agentfs-client-resume-function #'agentfs-proposals--resume)

;;; Questions

(cl-defmethod agentfs-client-asked (client (_ (eql window/showMessageRequest)) params answer)
  "List the question in PARAMS of CLIENT until the user gives an ANSWER."
  (let* ((titles (mapcar (lambda (action) (plist-get action :title)) (plist-get params :actions)))
         (question (make-agentfs-question :client client :id (plist-get params :id) :answer answer
                                          :text (plist-get params :message) :choices titles)))
    (setq agentfs-proposals-questions (append agentfs-proposals-questions (list question)))
    (run-hook-with-args 'agentfs-proposals-asked-functions question)
    (agentfs-proposals-changed)))

(defun agentfs-proposals-answer (question choice)
  "Answer QUESTION with CHOICE, one of its choices."
  (when (memq question agentfs-proposals-questions)
    (setq agentfs-proposals-questions (delq question agentfs-proposals-questions))
    (funcall (agentfs-question-answer question) (list :title choice))
    (agentfs-proposals-changed)))

(cl-defmethod agentfs-client-notified (client (_ (eql $/cancelRequest)) params)
  "The server of CLIENT no longer waits for the answer to the request in PARAMS."
  (setq agentfs-proposals-questions
        (seq-remove (lambda (question)
                      (and (eq (agentfs-question-client question) client)
                           (equal (agentfs-question-id question) (plist-get params :id))))
                    agentfs-proposals-questions))
  (agentfs-proposals-changed))

(cl-defmethod agentfs-client-notified (_client (_ (eql window/showMessage)) params)
  "Show the message in PARAMS."
  (agentfs-text-message "%s" (plist-get params :message)))

(provide 'agentfs-proposals)
;;; agentfs-proposals.el ends here
