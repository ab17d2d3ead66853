import { expect } from 'vitest'
import type { Caller } from '../../../support/e2e/golden/chapter.ts'
import { PASSWORD, type Script } from '../../../support/e2e/golden/stage.ts'
import { totpAt } from '../../../support/totp-app.ts'

const NOBODY = 'usr_00000000-0000-4000-8000-000000000000'

export const members: Script = async ({ stage, send }) => {
  const { id, owner, admin, developer, clinician } = await stage.organisation('Members', [
    'owner',
    'admin',
    'developer',
    'clinician',
  ])
  const base = '/api/members'
  await send('providers that can be enabled', owner, 'GET', '/api/providers')
  const invited = await send('invite', admin, 'POST', `${base}/invitations`, {
    email: 'guest@members.example',
    role: 'auditor',
  })
  await send('invite an owner as admin', admin, 'POST', `${base}/invitations`, {
    email: 'boss@members.example',
    role: 'owner',
  })
  await send('invite a member', admin, 'POST', `${base}/invitations`, {
    email: 'owner@members.example',
    role: 'auditor',
  })
  await send('the operator invites a member', stage.operator, 'POST', `/api/operator/organisations/${id}/invitations`, {
    email: 'owner@members.example',
    role: 'auditor',
  })
  await send('invite to a role that is none', admin, 'POST', `${base}/invitations`, {
    email: 'x@members.example',
    role: 'king',
  })
  await send('invite as a developer', developer, 'POST', `${base}/invitations`, {
    email: 'x@members.example',
    role: 'auditor',
  })
  expect(invited.json).toMatchObject({ email: 'guest@members.example', role: 'auditor', mailed: true, url: null })
  const invitations = await send('invitations', admin, 'GET', `${base}/invitations`)
  expect(invitations.json.data.map((invitation) => invitation.id)).toEqual([invited.json.id])
  const back = await send('take one back', admin, 'DELETE', `${base}/invitations/${invited.json.id}`)
  expect(back.json.id).toBe(invited.json.id)
  await send('take it back again', admin, 'DELETE', `${base}/invitations/${invited.json.id}`)
  await stage.ask(owner, 'POST', `${base}/invitations`, { email: 'new@members.example', role: 'auditor' })
  const token = await stage.mails.tokenFor('new@members.example', 'invite')
  const guest = stage.visitor('a guest')
  await send('accept with a wrong token', guest, 'POST', `${base}/invitations/accept`, {
    token: 'wrong',
    name: 'G',
    password: PASSWORD,
  })
  await send('accept without a name', guest, 'POST', `${base}/invitations/accept`, { token })
  await send('accept as somebody else', clinician, 'POST', `${base}/invitations/accept`, { token })
  const accepted = await send('accept', guest, 'POST', `${base}/invitations/accept`, {
    token,
    name: 'A guest',
    password: PASSWORD,
  })
  const joined = { id: accepted.json.id, name: 'A guest', email: 'new@members.example', role: 'auditor' }
  expect(accepted.json).toMatchObject({ ...joined, organisation: { id, name: 'Members' } })
  await send('accept again', guest, 'POST', `${base}/invitations/accept`, {
    token,
    name: 'A guest',
    password: PASSWORD,
  })
  const listed = await send('members', admin, 'GET', base)
  const byOperator = ['clinician', 'developer', 'admin', 'owner'].map((role) => ({ role, invited_by: 'operator' }))
  expect(listed.json).toMatchObject({ data: [joined, ...byOperator], has_more: false, next_cursor: null })
  const page = await send('a page of members', admin, 'GET', `${base}?limit=2`)
  expect(page.json).toMatchObject({ data: listed.json.data.slice(0, 2), next_cursor: listed.json.data[1]?.id })
  await send('members as a developer', developer, 'GET', base)
  const idOf = (email: string): string => listed.json.data.find((member) => member.email === email)?.id ?? ''
  const path = `${base}/${idOf('developer@members.example')}`
  await send('show', admin, 'GET', path)
  await send('show nobody', admin, 'GET', `${base}/${NOBODY}`)
  await factorResets({ stage, send }, { owner, admin, developer, of: idOf('developer@members.example') })
  await send('revoke keys without a change', admin, 'PATCH', path, { role: 'developer', revoke_keys: true })
  const changed = await send('change a role', admin, 'PATCH', path, { role: 'auditor', revoke_keys: true })
  expect(changed.json).toMatchObject({ email: 'developer@members.example', role: 'auditor', keys: [] })
  await send('make an owner as admin', admin, 'PATCH', path, { role: 'owner' })
  await send('change the owner as admin', admin, 'PATCH', `${base}/${idOf('owner@members.example')}`, { role: 'admin' })
  await send('the only owner steps down', owner, 'PATCH', `${base}/${idOf('owner@members.example')}`, { role: 'admin' })
  await send('the only owner leaves', owner, 'DELETE', `${base}/${idOf('owner@members.example')}`)
  await send('change nobody', admin, 'PATCH', `${base}/${NOBODY}`, { role: 'auditor' })
  const view = { list: 'calls', name: 'Blocked by PII', search: '?outcome=blocked' }
  await send('views before one is saved', admin, 'GET', '/api/views')
  await send('save a view', admin, 'PUT', '/api/views', { views: [view] })
  const views = await send('views', admin, 'GET', '/api/views')
  expect(views.json).toEqual({ views: [view] })
  await send('a view of another page', admin, 'PUT', '/api/views', { views: [{ ...view, search: '/app/keys' }] })
  const removed = await send('remove', admin, 'DELETE', `${path}?revoke_keys=true`)
  expect(removed.json).toEqual({ ...changed.json, keys: [], keys_revoked: true })
  await send('remove again', admin, 'DELETE', path)
  await send('the removed looks', developer, 'GET', '/api/keys')
  await send('leave', clinician, 'DELETE', `${base}/${idOf('clinician@members.example')}`)
  const founded = await send('found an organisation', owner, 'POST', '/api/organisations', {
    name: 'Second',
    enabled_providers: ['google'],
    region: 'weur',
  })
  expect(founded.json).toMatchObject({ name: 'Second', tier: 'free', version: 1, enabled_providers: ['google'] })
  await send('found without a name', owner, 'POST', '/api/organisations', {})
  await send('which of two organisations', owner, 'GET', base)
  const second = await send('one of two organisations', owner, 'GET', base, undefined, {
    headers: { 'x-aqta-organisation': founded.json.id },
  })
  const own = { id: idOf('owner@members.example'), role: 'owner', invited_by: null }
  expect(second.json).toMatchObject({ data: [own], has_more: false })
  await send('an organisation that is not mine', owner, 'GET', base, undefined, {
    headers: { 'x-aqta-organisation': 'org_00000000-0000-4000-8000-000000000000' },
  })
}

type Managers = Record<'owner' | 'admin' | 'developer', Caller> & { of: string }

/** Asks for resets of the developer's second factor, agrees to one and cancels them. */
async function factorResets(
  { stage, send }: Parameters<Script>[0],
  { owner, admin, developer, of }: Managers,
): Promise<void> {
  const [reset, own] = [`/api/members/factor-resets/${of}`, '/api/auth/factor-reset']
  await send('reset the factor of who has none', admin, 'POST', reset)
  const app = await stage.ask(developer, 'POST', '/api/auth/totp')
  await stage.ask(developer, 'POST', '/api/auth/totp/confirm', { code: totpAt(app.secret, Date.now()) })
  await send('ask for a reset', admin, 'POST', reset)
  await send('ask for it again', owner, 'POST', reset)
  await send('the reset', owner, 'GET', reset)
  await send('agree as who asked', admin, 'POST', `${reset}/agreement`)
  await send('agree', owner, 'POST', `${reset}/agreement`)
  await send('cancel it', admin, 'DELETE', reset)
  await send('cancel it again', admin, 'DELETE', reset)
  await send('the reset that is none', owner, 'GET', reset)
  await send('agree to none', owner, 'POST', `${reset}/agreement`)
  await send('ask for a reset of nobody', admin, 'POST', `/api/members/factor-resets/${NOBODY}`)
  const operated = `/api/operator/people/${of}/factor-reset`
  await send('the operator asks', stage.operator, 'POST', operated, { reason: 'lost_device' })
  await send('the operator asks again', stage.operator, 'POST', operated, { reason: 'lost_device' })
  await send('the operator asks for no reason', stage.operator, 'POST', operated, {})
  await send('the operator asks for nobody', stage.operator, 'POST', `/api/operator/people/${NOBODY}/factor-reset`, {
    reason: 'other',
  })
  await send('cancel one’s own reset', developer, 'DELETE', own)
  await send('cancel it again', developer, 'DELETE', own)
  const visitor = stage.visitor('somebody who lost a device')
  await send('ask for the link', visitor, 'POST', own, { email: 'developer@members.example' })
  await send('ask for it without an address', visitor, 'POST', own, {})
  await send('use a link that is none', visitor, 'POST', `${own}/confirm`, { token: 'wrong', password: PASSWORD })
}
