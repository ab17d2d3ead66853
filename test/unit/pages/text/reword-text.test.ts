import { describe, expect, it } from 'vitest'
import { withoutRoutes } from '../../../../src/pages/text/reword-text.ts'
import { asDisplayed } from '../../../../src/pages/text/id-labels.ts'

describe('what the service says, told to people', () => {
  it.each([
    [
      'Too many tries. Set a new one (POST /api/auth/password-reset), or wait.',
      'Too many tries. Set a new one, or wait.',
    ],
    ['No member has this id. GET /api/members lists them.', 'No member has this id.'],
    ['There is an account by now. Sign in: POST /api/auth/login.', 'There is an account by now. Sign in.'],
    ['Say which one is meant; GET /api/auth/me lists them.', 'Say which one is meant.'],
    ['No key has this id. GET /api/keys?status=all lists them. Ask an owner.', 'No key has this id. Ask an owner.'],
  ])('names no route: %s', (said, told) => {
    expect(withoutRoutes(said)).toBe(told)
  })

  it.each(['GET /v1/models lists them.', 'Wait a minute.', 'A path like /api/x is not meant.', ''])(
    'is left as it is where nothing else is said: %s',
    (said) => {
      expect(withoutRoutes(said)).toBe(said)
    },
  )
})

describe('a name as it is seen', () => {
  it('is the same for whoever types what a page shows of it', () => {
    expect(asDisplayed(' Ward  4\u00a0B\u200b ')).toBe(asDisplayed('Ward 4 B'))
    expect(asDisplayed('Caf\u0065\u0301')).toBe(asDisplayed('Caf\u00e9'))
    expect(asDisplayed('Ward 4')).not.toBe(asDisplayed('ward 4'))
  })
})
