// What people write between a label and its value: "PPS No. is:", "MRN #", "Tel (home) -".

/** Pattern source. Bounded on every side; starts right after the label's last letter. */
export const LABEL_GAP =
  '(?:(?:[ \\n:;#=,*_>|(\\["\'-]|\\.(?!\\n)){0,4}(?:numbers?|nos?|num|nr|id|identifier|is|was|of|ref|are)(?![a-z])){0,2}(?:[ \\n:;#=,*_>|)(\\]\\["\'-]|\\.(?!\\n)){0,5}'

/** Nothing, a blank, a line end, a dash or a dot inside a number; a dot with a blank after it ends a sentence. */
export const BREAK = '(?: ?[-_/] ?|[-_/]{2}|[-/]\\n|\\n[-/]|[. \\n])?'

/** One mark, with or without blanks around it, between all characters of a number that is written apart. */
export const APART = '(?: ?[-_/,.:;|] ?|[ \\n])'
