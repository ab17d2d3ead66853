// The limits of a comparison of groups, in the words of every response and report that has one.

export const CANNOT_SHOW =
  'This compares how calls were served, not what the answers said. A difference is a reason to look, not a finding of discrimination; no difference is not proof of fairness.'

export const NO_TRUTH =
  'What an answer should have been is not known here, so equalised odds and calibration cannot be worked out.'
