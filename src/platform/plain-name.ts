// Which names of a caller's own making may be handed back: short words that a program would use. Anything else could be
// a sentence of a letter that stands where a name should.

const PLAIN_NAME = /^[A-Za-z_$][\w$.[\]-]{0,39}$/

export const isPlainName = (name: string): boolean => PLAIN_NAME.test(name)
