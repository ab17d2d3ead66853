// Opens a page of the dashboard: who is signed in, the frame around it, then the page, if the person's role has it.
import { type ComponentChildren, type ComponentType } from 'preact'
import { useErrorBoundary } from 'preact/hooks'
import { rolesWith } from '../../accounts/access/roles.policy.ts'
import { UNREADABLE } from '../api/call.ts'
import { reloadForOthers, tellTabs } from '../api/sign-in.ts'
import { ProblemNotice } from '../parts/notices.view.tsx'
import { showInIsland } from '../parts/show.ts'
import { DASHBOARD_PAGES, type DashboardPage, type DashboardPath } from '../pages.ts'
import { showFrame } from './frame/frame.view.tsx'
import { OrganisationLinks } from './frame/who.view.tsx'
import { hasPermission, openSession, session } from './session.ts'

export async function openPage(path: DashboardPath, Page: ComponentType): Promise<void> {
  const problem = await openSession()
  if (problem !== null) {
    showInIsland(<ProblemNotice problem={problem} onRetry={() => location.reload()} />)
    return
  }
  const { user } = session()
  tellTabs(user.id)
  reloadForOthers(user.id)
  showFrame()
  const page: DashboardPage = DASHBOARD_PAGES[path]
  showInIsland(
    <ForRole {...page}>
      <Readable Page={Page} />
    </ForRole>,
  )
  openNamedOnceThere()
  // A page that the browser kept shows what was there when it was left: whoever signed out meanwhile sees nothing of it.
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) location.reload()
  })
}

/** The page, or that it was answered something that it cannot show: nothing of it stays that might be taken for found. */
function Readable({ Page }: { Page: ComponentType }) {
  const boundary: readonly [unknown, () => void] = useErrorBoundary((error: unknown) => reportError(error))
  const [thrown, again] = boundary
  return thrown === undefined ? <Page /> : <ProblemNotice problem={UNREADABLE} onRetry={again} />
}

type ForRoleGiven = Pick<DashboardPage, 'needs' | 'what'> & { children: ComponentChildren }

/** Its children for roles that include it; else who has it, said calmly: nothing has failed. */
export function ForRole({ needs, what, children }: ForRoleGiven) {
  const { organisation } = session()
  if (needs === 'session') return <>{children}</>
  if (organisation === null) return <NoOrganisation />
  if (needs === 'membership' || hasPermission(needs)) return <>{children}</>
  const roles = rolesWith(needs).filter((role) => role !== 'key')
  return (
    <div class="notice stack">
      <p>Your role does not include {what}</p>
      <p>
        You are {organisation.role} of {organisation.name}. The roles that include it: {roles.join(', ')}.
      </p>
    </div>
  )
}

/** The person is in no organisation, or not in the one that the address names. */
function NoOrganisation() {
  if (session().user.organisations.length > 0) {
    return (
      <div class="notice warn stack">
        <p>You are not a member of the organisation that this address names</p>
        <p>You may have left it, it may be erased, or the address is not whole. Open this page for one of yours:</p>
        <OrganisationLinks />
      </div>
    )
  }
  return (
    <div class="notice stack">
      <p>You are in no organisation yet</p>
      <p>Found one, or ask somebody to invite you to theirs and open the link of the invitation.</p>
      <p>
        <a class="button first" href="/app/organisation">
          Found an organisation
        </a>
      </p>
    </div>
  )
}

/** Until nothing is on its way, what stands below is not shown, and cannot jump (style/rows.css). */
function openNamedOnceThere(): void {
  const island = document.querySelector('#island')
  const look = (): void => {
    if (island === null || island.querySelector('[aria-busy=true]') !== null) return
    island.classList.add('there')
    observer.disconnect()
    openNamed()
  }
  const observer = new MutationObserver(look)
  if (island !== null) observer.observe(island, { childList: true, subtree: true })
  look()
}

/** Goes to the part that the address names, which was not there yet when the browser looked for it. */
export function openNamed(): void {
  const named = location.hash === '' ? null : document.getElementById(location.hash.slice(1))
  named?.focus({ preventScroll: true })
  named?.scrollIntoView()
}
