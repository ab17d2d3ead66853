// The views of lists that members save for themselves.
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { foundOrganisation } from './people-of-organisation.ts'

const view = (change: object = {}) => ({ list: 'calls', name: 'Blocked by PII', search: '?outcome=blocked', ...change })
const body = (...views: object[]) => ({ views })
const rows = async (person: string): Promise<number | undefined> =>
  (
    await env.DB.prepare('SELECT count(*) AS n FROM member_views WHERE person_id = ?')
      .bind(person)
      .first<{ n: number }>()
  )?.n

describe('saved views', () => {
  it('are replaced as a whole, and nobody else sees them', async () => {
    const organisation = await foundOrganisation()
    const auditor = await organisation.addPerson('auditor')
    const others = [await organisation.addPerson('owner'), await (await foundOrganisation()).addPerson('owner')]
    expect(await auditor.ask('GET', '/api/views')).toMatchObject({ status: 200, body: { views: [] } })
    expect(await auditor.ask('PUT', '/api/views', body(view(), view({ name: 'All' })))).toMatchObject({ status: 200 })
    const sent = body(view({ search: '' }), view({ list: 'policy-versions' }))
    expect((await auditor.ask('PUT', '/api/views', sent)).body).toEqual(sent)
    expect((await auditor.ask('GET', '/api/views')).body).toEqual(sent)
    for (const other of others) expect((await other.ask('GET', '/api/views')).body).toEqual({ views: [] })
    expect(await organisation.acts()).toEqual([])
  })

  it('are of one organisation, for somebody who is in two', async () => {
    const [first, second] = [await foundOrganisation(), await foundOrganisation()]
    const person = await first.addPerson('developer')
    await second.addMember(person.id, 'clinician')
    const asked = async (id: string, ...[method, sent]: ['GET'] | ['PUT', object]) =>
      (await person.ask(method, '/api/views', sent, { 'x-aqta-organisation': id })).body
    await asked(first.organisationId, 'PUT', body(view()))
    expect(await asked(second.organisationId, 'GET')).toEqual({ views: [] })
    expect(await asked(first.organisationId, 'GET')).toEqual(body(view()))
  })

  it.each([
    ['no name', view({ name: ' ' })],
    ['a long name', view({ name: 'n'.repeat(41) })],
    ['a name that changes direction', view({ name: 'a\u202eb' })],
    ['a search that leads to another host', view({ search: '//other.example/' })],
    ['a search with a line break', view({ search: '?a\nb' })],
    ['a long search', view({ search: `?${'s'.repeat(2000)}` })],
    ['a list that is no word', view({ list: '../keys' })],
    ['a further member', view({ at: 1 })],
  ])('may not have %s', async (_, wrong) => {
    const person = await (await foundOrganisation()).addPerson('clinician')
    expect(await person.ask('PUT', '/api/views', body(wrong))).toMatchObject({ status: 400 })
    expect((await person.ask('GET', '/api/views')).body).toEqual({ views: [] })
  })

  it('are at most fifty, with names of forty characters and searches of two thousand', async () => {
    const person = await (await foundOrganisation()).addPerson('clinician')
    const put = async (views: object[]) => (await person.ask('PUT', '/api/views', { views })).status
    expect(await put(Array.from({ length: 50 }, (_, n) => view({ name: `${n}`.padEnd(40, 'ä') })))).toBe(200)
    expect(await put(Array.from({ length: 51 }, (_, n) => view({ name: `${n}` })))).toBe(400)
    expect(await put([view({ search: `?${'s'.repeat(1999)}` })])).toBe(200)
    expect(await put(Array.from({ length: 9 }, () => view({ search: `?${'s'.repeat(1999)}` })))).toBe(413)
  })

  it('keep a name with marks of HTML and SQL as it is', async () => {
    const person = await (await foundOrganisation()).addPerson('owner')
    const hostile = body(view({ name: `<img src=x onerror=alert(1)>'); --` }))
    await person.ask('PUT', '/api/views', hostile)
    expect((await person.ask('GET', '/api/views')).body).toEqual(hostile)
  })

  it('are not changed from another site, by nobody, or in an organisation of others', async () => {
    const organisation = await foundOrganisation()
    const person = await organisation.addPerson('owner')
    const stranger = await (await foundOrganisation()).addPerson('owner')
    const named = { 'x-aqta-organisation': organisation.organisationId }
    for (const [asked, code] of [
      [person.ask('PUT', '/api/views', body(view()), { origin: 'https://evil.example' }), 'origin_refused'],
      [organisation.nobody('PUT', '/api/views', body(view())), 'session_required'],
      [stranger.ask('PUT', '/api/views', body(view()), named), 'not_found'],
    ] as const) {
      // oxlint-disable-next-line no-await-in-loop -- three requests
      expect((await asked).body).toMatchObject({ error: { code } })
    }
    expect((await person.ask('GET', '/api/views')).body).toEqual({ views: [] })
  })

  it('go with the membership, and with the person or the organisation', async () => {
    const organisation = await foundOrganisation()
    const owner = await organisation.addPerson('owner')
    const [removed, erased, left] = await Promise.all(
      (['developer', 'auditor', 'admin'] as const).map((role) => organisation.addPerson(role)),
    )
    const all = [removed, erased, left].flatMap((person) => person ?? [])
    for (const person of all) await person.ask('PUT', '/api/views', body(view()))
    await owner.ask('DELETE', `/api/members/${removed?.id}`)
    await env.DB.prepare('DELETE FROM people WHERE id = ?').bind(erased?.id).run()
    expect(await Promise.all(all.map(({ id }) => rows(id)))).toEqual([0, 0, 1])
    await env.DB.prepare('DELETE FROM organisations WHERE id = ?').bind(organisation.organisationId).run()
    expect(await Promise.all(all.map(({ id }) => rows(id)))).toEqual([0, 0, 0])
  })
})
