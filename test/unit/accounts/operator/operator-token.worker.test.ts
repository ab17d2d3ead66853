// The operator's token is replaced without a moment in which scripts are refused: two are accepted meanwhile.
import { env } from 'cloudflare:workers'
import { expect, it, vi } from 'vitest'
import { startService, withKey } from '../../../support/unit/service.ts'

const [old, replacing, another] = ['old', 'new', 'another'].map((each) => `${each}-token-of-at-least-32-characters`)
const logged = () => vi.spyOn(console, 'warn').mockReset().mockReturnValue()

const askWith = async (setting: string, token: string | undefined) =>
  (await startService({ OPERATOR_TOKEN: setting }).fetch('/api/operator/organisations', withKey(token ?? ''))).status

it('accepts both tokens until the old one is taken out, and tells in the log who still sends the old one', async () => {
  const warn = logged()
  expect(await askWith(`${replacing},${old}`, replacing)).toBe(200)
  expect(warn).not.toHaveBeenCalled()
  expect(await askWith(`${replacing},${old}`, old)).toBe(200)
  const [line] = warn.mock.calls.map(([text]) => String(text))
  expect(JSON.parse(line ?? '')).toMatchObject({
    event: 'old_operator_token',
    request_id: expect.any(String) as string,
  })
  expect(await askWith(`${replacing}`, old)).toBe(401)
})

it.each([another, '', `${replacing},${old}`, replacing?.slice(0, -1)])(
  'refuses %j while two are accepted',
  async (sent) => {
    const warn = logged()
    expect(await askWith(`${replacing},${old}`, sent)).toBe(401)
    expect(warn).not.toHaveBeenCalled()
  },
)

it('has no operator’s routes without a token', async () => {
  const service = startService({ OPERATOR_TOKEN: undefined })
  expect((await service.fetch('/api/operator/organisations', withKey(env.OPERATOR_TOKEN))).status).toBe(404)
})
