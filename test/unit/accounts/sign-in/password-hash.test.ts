// How passwords are kept: under which parameters, and that nothing a stored string says makes it work harder.
import { describe, expect, it } from 'vitest'
import { scryptHasher } from '../../../../src/accounts/sign-in/password-hash.ts'

const PASSWORD = 'ein nasser Morgen im Spätherbst'
/** Made by another implementation of scrypt (N=16, r=8, p=1, a salt of 16 zeros). */
const FOREIGN = '$scrypt$ln=4,r=8,p=1$AAAAAAAAAAAAAAAAAAAAAA$n+CBRax9rSbO+B3s4RDIAnx6PjiHwxBP0hNJijjswIM'
const FOREIGN_PASSWORD = 'a wet morning in late november'

describe('a password', () => {
  it('is kept under the parameters that are documented, with a salt of its own', () => {
    const [first, second] = [scryptHasher.hash(PASSWORD), scryptHasher.hash(PASSWORD)]
    expect(first).toMatch(/^\$scrypt\$ln=15,r=8,p=3\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/)
    expect(second).not.toBe(first)
    expect(scryptHasher.verify(PASSWORD, first)).toBe('right')
    expect(scryptHasher.verify(`${PASSWORD} `, first)).toBe('wrong')
  })

  it('is the same in composed and decomposed characters', () => {
    const kept = scryptHasher.hash(PASSWORD.normalize('NFD'))
    expect(scryptHasher.verify(PASSWORD.normalize('NFC'), kept)).toBe('right')
  })

  it('that was kept under other parameters is right, and to be hashed anew', () => {
    expect(scryptHasher.verify(FOREIGN_PASSWORD, FOREIGN)).toBe('outdated')
    expect(scryptHasher.verify(PASSWORD, FOREIGN)).toBe('wrong')
  })

  it('is wrong for somebody who has none', () => {
    expect(scryptHasher.verify('', null)).toBe('wrong')
    expect(scryptHasher.verify(PASSWORD, null)).toBe('wrong')
  })
})

describe('a stored string is nobody’s', () => {
  const [, , , salt = '', hash = ''] = FOREIGN.split('$')
  it.each([
    ['empty', ''],
    ['of no parameters', '$scrypt$$'],
    ['of more memory than is given', `$scrypt$ln=20,r=8,p=1$${salt}$${hash}`],
    ['of more blocks than are done', `$scrypt$ln=4,r=99,p=1$${salt}$${hash}`],
    ['of more rounds than are done', `$scrypt$ln=4,r=8,p=99$${salt}$${hash}`],
    ['of no rounds', `$scrypt$ln=0,r=8,p=1$${salt}$${hash}`],
    ['of no salt', `$scrypt$ln=4,r=8,p=1$$${hash}`],
    ['of no hash', `$scrypt$ln=4,r=8,p=1$${salt}$`],
    ['of half a hash', `$scrypt$ln=4,r=8,p=1$${salt}$${hash.slice(0, 24)}`],
    ['of another function', `$argon2id$ln=4,r=8,p=1$${salt}$${hash}`],
    ['of another alphabet', FOREIGN.replaceAll('+', '-')],
    ['with something after it', `${FOREIGN}\n`],
  ])('where it is %s', (_, kept) => {
    expect(scryptHasher.verify(FOREIGN_PASSWORD, kept)).toBe('wrong')
  })
})
