// The frame of every dashboard page: the organisation and its switch, the person, the menu, the search, the number of waiting
// approvals, and notices of an erasure or of invented data.
import { render, type ComponentChild } from 'preact'
import type { ShownApproval } from '../../../organisation/approvals/approval-response.schema.ts'
import type { List } from '../../../platform/pagination.schema.ts'
import { hasFeature } from '../../../policies/tier.policy.ts'
import { Icon } from '../../parts/icon.view.tsx'
import { lock } from '../../parts/icons.ts'
import { DASHBOARD_PAGES, type DashboardPage } from '../../pages.ts'
import { keepDemo } from '../../api/sign-in.ts'
import { enableSearch } from '../../search/open-search.ts'
import { initialsOf, tierName } from '../../text/id-labels.ts'
import { callApi, hasPermission, inOrganisation, session, linkForOthers } from '../session.ts'
import { AccountMenu, OrganisationMenu } from './account-menu.view.tsx'
import { showErasureNotice } from './erasure-notice.view.tsx'
import { enableShortcutList } from './shortcuts.view.tsx'
import { OnlyRead, Hash } from '../../parts/layout.view.tsx'
import { useLayoutEffect, useState } from 'preact/hooks'
import { exactTime } from '../../parts/times.view.tsx'

export function showFrame(): void {
  showNames()
  renderIn('#paper', <PaperHead />)
  showMenu()
  enableSearch({
    label: 'Find or do anything',
    hint: 'Something to do, a page, an id, a name, a setting, a document.',
    loadOwn: async () => {
      const { openOwn } = await import('./own-results.ts')
      return () => openOwn(menuLinks())
    },
  })
  enableShortcutList()
  showErasureNotice()
  void showPendingCount()
  showDemoNote()
}

/** Shows the person and the organisation. Call it again after a name has changed. */
export function showNames(): void {
  const { user, organisation } = session()
  const account = document.querySelector('#account')
  account?.setAttribute('aria-label', `${initialsOf(user.name)}, account of ${user.name}`)
  account?.replaceChildren(initialsOf(user.name))
  renderIn('#who', <AccountMenu />)
  renderIn('#organisations', <OrganisationMenu />)
  const chooser = document.querySelector('#organisation')
  chooser?.removeAttribute('disabled')
  const name = organisation?.name ?? 'No organisation'
  fill(chooser?.querySelector('.initials'), organisation === null ? '' : initialsOf(organisation.name))
  fill(chooser?.querySelector('b'), name)
  fill(chooser?.querySelector('small'), organisation === null ? 'Create one' : `${tierName(organisation.tier)} tier`)
  fill(document.querySelector('#organisation-name'), name)
}

const renderIn = (selector: string, view: ComponentChild): void => {
  const place = document.querySelector(selector)
  if (place !== null) render(view, place)
}

const fill = (place: Element | null | undefined, text: string): void => {
  if (place != null) place.textContent = text
}

const menuLinks = (): HTMLAnchorElement[] => [...document.querySelectorAll<HTMLAnchorElement>('#side > :is(nav, ul) a')]

const PAGES = new Map<string, DashboardPage>(Object.entries(DASHBOARD_PAGES))

/**
 * Hides the pages that the person's role does not permit, and marks with a lock those that the tier lacks. Adds the organisation to
 * the URLs of all.
 */
function showMenu(): void {
  const { organisation } = session()
  for (const link of menuLinks()) {
    const path = link.pathname
    if (path === location.pathname) link.setAttribute('aria-current', 'page')
    const page = PAGES.get(path)
    const needs = page?.needs ?? 'session'
    const isOpen = needs === 'session' || needs === 'membership' || organisation === null
    link.closest('li')?.toggleAttribute('hidden', !isOpen && !hasPermission(needs))
    if (path.startsWith('/app')) link.href = inOrganisation(path)
    const feature = page !== undefined && 'feature' in page ? page.feature : undefined
    if (organisation === null || feature === undefined || hasFeature(organisation.tier, feature)) continue
    link.toggleAttribute('data-locked', true)
    const sign = document.createElement('span')
    link.append(sign)
    render([<Icon of={lock} />, <OnlyRead>, not in your tier</OnlyRead>], sign)
  }
  hideEmptyGroups()
}

function hideEmptyGroups(): void {
  for (const group of document.querySelectorAll('#side nav ul')) {
    const isEmpty = group.querySelector('li:not([hidden])') === null
    group.previousElementSibling?.toggleAttribute('hidden', isEmpty)
  }
}

const MOST_COUNTED = 100

/** Shows how many requests wait for approval. Call it again after each decision. */
export async function showPendingCount(): Promise<void> {
  const badge = document.querySelector('#waiting')
  if (badge === null || !hasPermission('approvals:read')) return
  const query = { state: 'pending', limit: MOST_COUNTED }
  const answer = await callApi<List<ShownApproval>>('GET', '/api/approvals', { query })
  if (answer.outcome === 'refused') return
  const { data, has_more: hasMore } = answer.body
  badge.toggleAttribute('hidden', data.length === 0)
  render(
    <>
      {data.length}
      {hasMore && '+'}
      <OnlyRead> waiting</OnlyRead>
    </>,
    badge,
  )
}

/** Its room is there from the start, except on the first page after a change of organisation. */
const showDemoNote = (): boolean =>
  document.documentElement.toggleAttribute('data-demo', keepDemo(session().organisation))

function PaperHead() {
  const [at, setAt] = useState(() => new Date().toISOString())
  useLayoutEffect(() => {
    const now = (): void => setAt(new Date().toISOString())
    addEventListener('beforeprint', now)
    return () => removeEventListener('beforeprint', now)
  }, [])
  const { user, organisation } = session()
  return (
    <>
      <b>{organisation?.name}</b>
      <span>
        Printed {exactTime(at)} by {user.name}, from <Hash>{linkForOthers(location.href)}</Hash>
      </span>
    </>
  )
}
