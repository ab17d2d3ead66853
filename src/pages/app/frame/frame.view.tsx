// The frame of every dashboard page: organisation, person, menu, search, number of waiting approvals, and notices of an erasure or
// of invented data.
import { render } from 'preact'
import type { ShownApproval } from '../../../organisation/approvals/approval-response.schema.ts'
import type { List } from '../../../platform/pagination.schema.ts'
import { DASHBOARD_PAGES, type DashboardPage } from '../../pages.ts'
import { callApi, hasPermission, inOrganisation, session } from '../session.ts'
import { showErasureNotice } from './erasure-notice.view.tsx'
import { enableSearch, menuLinks } from './search.view.tsx'
import { AccountMenu } from './account-menu.view.tsx'

export function showFrame(): void {
  const { organisation } = session()
  showAccountMenu()
  showMenu()
  enableSearch()
  showErasureNotice()
  void showPendingCount()
  if (organisation !== null && isDemoOrganisation(organisation.id)) showDemoNote()
}

/** Shows the person and the organisation. Call it again after a name has changed. */
export function showAccountMenu(): void {
  const who = document.querySelector('#who')
  if (who !== null) render(<AccountMenu />, who)
  const name = document.querySelector('#organisation-name')
  if (name !== null) name.textContent = session().organisation?.name ?? ''
}

const PAGES = new Map<string, DashboardPage>(Object.entries(DASHBOARD_PAGES))

/** Hides the pages that the person's role does not permit. Adds the organisation to the URLs of the others. */
function showMenu(): void {
  for (const link of menuLinks()) {
    const path = link.pathname
    if (path === location.pathname) link.setAttribute('aria-current', 'page')
    const { needs = 'session' } = PAGES.get(path) ?? {}
    const isOpen = needs === 'session' || needs === 'membership' || session().organisation === null
    link.closest('li')?.toggleAttribute('hidden', !isOpen && !hasPermission(needs))
    if (path.startsWith('/app')) link.href = inOrganisation(path)
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
  badge.textContent = `${data.length}${hasMore ? '+' : ''} waiting`
}

const VERSION_INDEX = 'org_xxxxxxxx-xxxx-'.length

/** True if the organisation is a demo, whose data is invented. Its id is a UUID of version 8. */
const isDemoOrganisation = (id: string): boolean => id[VERSION_INDEX] === '8'

/** Shows the demo note at the foot of the window, so that it moves nothing else. */
function showDemoNote(): void {
  const note = document.createElement('footer')
  note.className = 'demo-note'
  note.textContent = 'Invented data: this is a demonstration.'
  document.body.append(note)
}
