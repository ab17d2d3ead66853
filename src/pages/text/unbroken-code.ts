// A name such as `x-aqta-dropped` is hard to read over two lines.

/** Fits a line of the narrowest window, also within members of members. */
const MOST_UNBROKEN = 26

/** Returns whether code within a text stays in one line. */
export const isUnbroken = (code: string): boolean => code.length <= MOST_UNBROKEN
