;;; agentfs-text.el --- Differences, and text of others  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; What a review needs to know about texts: their differences as hunks, and
;; how to show what others wrote so that nothing in it hides, reorders, or
;; imitates anything.

;;; Code:

(require 'cl-lib)
(require 'seq)

;;; Text of others

(defconst agentfs-text--unseen
  (concat "[\0-\10\13-\37\177-\237\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u1cbb\u1cbc"
          "\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffc"
          "\u00a0\u1680\u2000-\u200a\u202f\u205f\ud800-\udfff"
          "\U000133fc\U00013430-\U0001345f\U0001bca0-\U0001bca3\U0001d159\U0001d173-\U0001d17a"
          "\U000e0000-\U000e0fff\x3fff80-\x3fffff]")
  "Characters that are not seen, or control others.")

(defface agentfs-escaped '((t :inherit (escape-glyph warning)))
  "Face of the codes that stand for characters that can't be seen."
  :group 'agentfs)

(defun agentfs-text-code (character)
  "How CHARACTER is shown if it can't be seen, such as \\u202e."
  (propertize (format (cond ((< character #x100) "\\x%02x")
                            ((< character #x10000) "\\u%04x")
                            (t "\\U%08x"))
                      character)
              'face 'agentfs-escaped 'font-lock-face 'agentfs-escaped))

(defun agentfs-text-shown (text)
  "TEXT with codes for the characters that can't be seen, except its line ends."
  (let ((text (substring-no-properties text)))
    (if (string-match-p agentfs-text--unseen text)
        (replace-regexp-in-string agentfs-text--unseen (lambda (found) (agentfs-text-code (aref found 0)))
                                  text t t)
      text)))

(defun agentfs-text-line (text &optional most)
  "TEXT in one line of at most MOST characters, with codes for unseen ones."
  (let* ((line (replace-regexp-in-string "[ \t\n\r]+" " " (or text "")))
         (most (or most 200)))
    (agentfs-text-shown (if (> (length line) most) (concat (substring line 0 (1- most)) "…") line))))

(defun agentfs-text-message (format &rest arguments)
  "Show a message of agentfs, with FORMAT and ARGUMENTS, in one line.
A long one is cut, so that the echo area doesn't grow."
  (let ((line (agentfs-text-line (apply #'format format arguments) 400)))
    (message "%s" line)))

(defun agentfs-text-show-all ()
  "Show the current buffer in its text's order, with codes for unseen characters."
  (setq bidi-display-reordering nil
        bidi-paragraph-direction 'left-to-right)
  (let ((table (or buffer-display-table (setq buffer-display-table (make-display-table)))))
    (dolist (range '((#x80 . #x9f) (#xa0 . #xa0) (#xad . #xad) (#x34f . #x34f) (#x61c . #x61c)
                     (#x115f . #x1160) (#x17b4 . #x17b5) (#x180b . #x180f) (#x1680 . #x1680)
                     (#x2000 . #x200f) (#x2028 . #x202f) (#x205f . #x206f) (#x2800 . #x2800)
                     (#x3164 . #x3164) (#xfe00 . #xfe0f) (#xfeff . #xfeff) (#xffa0 . #xffa0)
                     (#xfff0 . #xfffc) (#x1d159 . #x1d159) (#x1d173 . #x1d17a)))
      (cl-loop for character from (car range) to (cdr range)
               do (aset table character
                        (vconcat (mapcar (lambda (sign) (make-glyph-code sign 'agentfs-escaped))
                                         (agentfs-text-code character))))))
    (set-char-table-range table '(#xe0000 . #xe0fff)
                          (vconcat (mapcar (lambda (sign) (make-glyph-code sign 'agentfs-escaped))
                                           "\\U000e….")))))

;;; Lines

(defun agentfs-text-lines (text)
  "The lines of TEXT with their ends, as a vector."
  (let ((start 0) lines)
    (while (string-match "\n" text start)
      (push (substring text start (match-end 0)) lines)
      (setq start (match-end 0)))
    (when (< start (length text))
      (push (substring text start) lines))
    (vconcat (nreverse lines))))

;;; Differences

(defconst agentfs-text--effort 400000
  "How many steps to look for a short difference before showing a block instead.")

(defun agentfs-text-changes (before after)
  "The differences of the vectors of lines BEFORE and AFTER.
A list of (START END START END): these lines of BEFORE became those of AFTER."
  (let* ((gc-cons-threshold (max gc-cons-threshold 200000000))
         (low 0) (a-end (length before)) (b-end (length after)))
    (while (and (< low a-end) (< low b-end) (string= (aref before low) (aref after low)))
      (cl-incf low))
    (while (and (> a-end low) (> b-end low) (string= (aref before (1- a-end)) (aref after (1- b-end))))
      (cl-decf a-end)
      (cl-decf b-end))
    (cond ((and (= low a-end) (= low b-end)) nil)
          ((or (= low a-end) (= low b-end)) (list (list low a-end low b-end)))
          (t (agentfs-text--path-changes
              (or (agentfs-text--path (seq-subseq before low a-end) (seq-subseq after low b-end))
                  'block)
              low a-end b-end)))))

(defun agentfs-text--path (a b)
  "The shortest way from the lines A to B (Myers): pairs of equal lines, or nil.
Nil if it is too long to look for; t if no lines are equal."
  (let* ((numbers (make-hash-table :test #'equal))
         (number (lambda (line) (or (gethash line numbers)
                                    (puthash line (hash-table-count numbers) numbers))))
         (a (vconcat (mapcar number a))) (b (vconcat (mapcar number b)))
         (n (length a)) (m (length b)) (effort agentfs-text--effort)
         (offset (1+ (min (+ n m) 1000)))
         (furthest (make-vector (+ 2 (* 2 offset)) 0))
         trace found (d 0))
    (while (and (not found) (> effort 0) (< d (1- offset)))
      (push (seq-subseq furthest (- offset d 1) (+ offset d 2)) trace)
      (cl-loop
       for k from (- d) to d by 2
       do (let* ((x (if (or (= k (- d))
                            (and (/= k d) (< (aref furthest (+ offset k -1)) (aref furthest (+ offset k 1)))))
                        (aref furthest (+ offset k 1))
                      (1+ (aref furthest (+ offset k -1)))))
                 (y (- x k)))
            (while (and (< x n) (< y m) (= (aref a x) (aref b y)))
              (cl-incf x)
              (cl-incf y)
              (cl-decf effort))
            (cl-decf effort)
            (aset furthest (+ offset k) x)
            (when (and (>= x n) (>= y m))
              (setq found t)
              (cl-return))))
      (cl-incf d))
    (when found
      (or (agentfs-text--walk-back trace n m) t))))

(defun agentfs-text--walk-back (trace x y)
  "The pairs of equal lines on the way to X and Y that TRACE recorded."
  (let ((d (1- (length trace))) pairs)
    (dolist (row trace)
      (let* ((at (lambda (k) (aref row (+ k d 1))))
             (k (- x y))
             (down (or (= k (- d))
                       (and (/= k d) (< (funcall at (1- k)) (funcall at (1+ k))))))
             (from-k (if down (1+ k) (1- k)))
             (from-x (if (= d 0) 0 (funcall at from-k)))
             (from-y (if (= d 0) 0 (- from-x from-k))))
        (while (and (> x from-x) (> y from-y))
          (push (cons (cl-decf x) (cl-decf y)) pairs))
        (setq x from-x y from-y)
        (cl-decf d)))
    pairs))

(defun agentfs-text--path-changes (pairs offset a-end b-end)
  "The differences between the equal lines PAIRS, which are counted from OFFSET.
They end at A-END and B-END."
  (let ((a offset) (b offset) changes)
    (pcase-dolist (`(,x . ,y) (append (and (consp pairs) pairs)
                                      (list (cons (- a-end offset) (- b-end offset)))))
      (let ((x (+ x offset)) (y (+ y offset)))
        (unless (and (= a x) (= b y))
          (push (list a x b y) changes))
        (setq a (1+ x) b (1+ y))))
    (nreverse changes)))

(defun agentfs-text-hunks (differences length &optional context)
  "Group DIFFERENCES from a text of LENGTH lines, with CONTEXT lines around.
Return a list of (START END CHANGE...): lines of the old text, and what becomes
of them."
  (let ((context (or context 3)) hunks)
    (dolist (change differences)
      (let ((start (max 0 (- (car change) context)))
            (end (min length (+ (nth 1 change) context)))
            (last (car hunks)))
        (if (and last (<= start (nth 1 last)))
            (setcar hunks `(,(car last) ,end ,@(nthcdr 2 last) ,change))
          (push (list start end change) hunks))))
    (nreverse hunks)))

(defun agentfs-text-without (before after differences)
  "The text of the lines AFTER without these DIFFERENCES from the lines BEFORE."
  (let ((at 0) parts)
    (pcase-dolist (`(,a ,a-end ,b ,b-end) differences)
      (push (seq-subseq after at b) parts)
      (push (seq-subseq before a a-end) parts)
      (setq at b-end))
    (push (seq-subseq after at) parts)
    (mapconcat (lambda (part) (apply #'concat (append part nil))) (nreverse parts) "")))

(provide 'agentfs-text)
;;; agentfs-text.el ends here
