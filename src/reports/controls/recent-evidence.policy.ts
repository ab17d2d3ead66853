// How recent evidence must be for a control to pass.

/** M1: the last run of bias detection. */
export const REPORT_WITHIN_DAYS = 31

/** L4: the last export of the log. */
export const HELD_OUTSIDE_DAYS = 30
