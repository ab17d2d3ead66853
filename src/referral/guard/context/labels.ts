// What people write between a label and its value: "PPS No. is:", "MRN #", "Tel (home) -".

/** Pattern source. Bounded on every side; starts right after the label's last letter. */
export const LABEL_GAP =
  '(?:[ \\n.:;#=,*_>|(\\["\'-]{0,4}(?:numbers?|nos?|num|nr|id|identifier|is|was|of|ref|are)(?![a-z])){0,2}[ \\n.:;#=,*_>|)(\\]\\["\'-]{0,5}'

/** Blanks, dashes, dots and a line end, as they turn up inside a number. */
export const BREAK = '[ .\\-_/\\n]'
