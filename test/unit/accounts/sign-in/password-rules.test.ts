// Which passwords are taken.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { passwordFault } from '../../../../src/accounts/sign-in/password-rules.policy.ts'

const ann = { email: 'ann.example@hospital.example', name: 'Ann Example' }
const fault = (password: string, whose = ann) => passwordFault(password, whose)

describe('a password is taken', () => {
  it.each([
    ['of fifteen characters', 'x'.repeat(15)],
    ['of fifteen characters beyond the first plane', '🌧'.repeat(15)],
    ['of 256 characters beyond the first plane', '🌧'.repeat(256)],
    ['of words', 'a wet morning in late november'],
    ['of blanks', ' '.repeat(15)],
  ])('%s', (_, password) => {
    expect(fault(password)).toBeNull()
  })

  it('that has a short name or a short address in it', () => {
    expect(fault('bo bought a wet morning', { email: 'bo@a.example', name: 'Bo' })).toBeNull()
  })
})

describe('a password is refused', () => {
  it.each([
    ['of fourteen characters', 'x'.repeat(14), 'at least 15 characters'],
    ['of fourteen characters beyond the first plane', '🌧'.repeat(14), 'at least 15 characters'],
    ['of fourteen characters, decomposed', 'é'.normalize('NFD').repeat(14), 'at least 15 characters'],
    ['of 257 characters', 'x'.repeat(257), 'at most 256 characters'],
    ['with half a character', `\ud83c${'x'.repeat(15)}`, 'well-formed Unicode'],
    ['with the address', 'so ann.example@hospital.example', 'without your e-mail address, or what stands before its @'],
    [
      'with what stands before the @',
      'my Ann.Example 2026',
      'without your e-mail address, or what stands before its @',
    ],
    ['with the name, run together', 'annexample and more', 'without your name'],
    ['with the name in full width', 'Ａｎｎ Ｅｘａｍｐｌｅ and more', 'without your name'],
    ['with the service’s name', 'I trust CounterSign', 'without the name of the service'],
  ])('%s', (_, password, rule) => {
    expect(fault(password)).toBe(rule)
  })
})

it('wherever the name stands in it, a password is refused, and a refusal repeats nothing', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 10 }), fc.string({ minLength: 10 }), (before, after) => {
      const rule = fault(`${before}Ann Example${after}`)
      expect(rule).not.toBeNull()
      expect(rule).not.toMatch(/ann/i)
    }),
  )
})
