// An organisation of invented data says so in its id, in what is shown of it and in every answer.
import { describe, expect, it } from 'vitest'
import { manage } from '../management/managed.ts'

const MARK = 'x-aqta-demo'
const REFUSED_CHAT = { model: 'none', messages: [{ role: 'user', content: 'Hello' }] }

describe('an organisation of invented data', () => {
  it('has an id of version 8, and says so in its settings', async () => {
    const managed = await manage({ demo: true })
    expect(managed.organisation.id).toMatch(/^org_[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab]/)
    const { ask } = await managed.signIn('owner')
    expect(await (await ask('GET', '/api/settings')).json()).toMatchObject({ demo: true })
  })

  it('says so in the headers of every answer, refusals included, to people and to keys', async () => {
    const managed = await manage({ demo: true })
    const [person, key] = [await managed.signIn('clinician'), await managed.automate(['chat'])]
    const answers = [
      await person.ask('GET', '/api/policies'),
      await person.ask('PUT', '/api/policies', {}),
      await key.ask('GET', '/v1/models'),
      await key.ask('GET', '/v1/models?unknown=1'),
      await key.ask('POST', '/v1/chat/completions', REFUSED_CHAT),
      await key.ask('GET', '/api/keys'),
    ]
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 200, 400, 404, 403])
    expect(answers.map(({ headers }) => headers.get(MARK))).toEqual(answers.map(() => 'true'))
  })

  it('is not made of another, nor the other way round', async () => {
    for (const demo of [true, false]) {
      const { organisation } = await manage({ demo })
      expect(await organisation.set({ demo: !demo })).toMatchObject({ error: { code: 'invalid_request' } })
      const shown = await organisation.service.operate('GET', `/organisations/${organisation.id}`)
      expect(shown).toMatchObject({ demo })
    }
  })
})

describe('any other organisation', () => {
  it('has an id of version 7 and no mark in its answers', async () => {
    const managed = await manage()
    expect(managed.organisation.id).toMatch(/^org_[0-9a-f]{8}-[0-9a-f]{4}-7/)
    const { ask } = await managed.automate(['chat'])
    expect((await ask('GET', '/v1/models')).headers.has(MARK)).toBe(false)
  })
})
