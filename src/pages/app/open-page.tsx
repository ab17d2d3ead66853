// Opens a dashboard page: checks the session, shows the frame, then the page if the person's role permits it. Then scrolls to the
// part that the URL names.
import type { ComponentChildren, ComponentType } from 'preact'
import { useErrorBoundary } from 'preact/hooks'
import { rolesWith } from '../../accounts/access/roles.policy.ts'
import { UNREADABLE } from '../api/send-request.ts'
import { reloadIfPersonChanges, tellTabs } from '../api/sign-in.ts'
import { ProblemNotice } from '../parts/answer-notices.view.tsx'
import { lazy } from '../parts/lazy.view.tsx'
import { showInIsland } from '../parts/island.ts'
import { DASHBOARD_PAGES, type DashboardPage, type DashboardPath, type PageAccess, type PageFeature } from '../pages.ts'
import { showFrame } from './frame/frame.view.tsx'
import { Lacking } from './frame/lacking.view.tsx'
import { PageHead } from './frame/page-head.view.tsx'
import { OrganisationLinks } from './frame/account-menu.view.tsx'
import { formatDay } from '../text/format.ts'
import { hasPermission, hasTierFeature, openSession, session } from './session.ts'
import { Notice } from '../parts/page-blocks.view.tsx'
import { ButtonLink } from '../parts/surfaces.view.tsx'

const NeedsFactor = lazy(0, async () => (await import('./frame/needs-factor.view.tsx')).NeedsFactor)

export async function openPage(path: DashboardPath, Page: ComponentType): Promise<void> {
  const problem = await openSession()
  if (problem !== null) {
    showInIsland(<ProblemNotice problem={problem} onRetry={() => location.reload()} />)
    return
  }
  const { user, organisation: current } = session()
  tellTabs(user.id)
  reloadIfPersonChanges(user.id)
  showFrame()
  const page: DashboardPage = DASHBOARD_PAGES[path]
  const shown = (
    <ForRole access={page}>
      <PageOrProblem Page={Page} />
    </ForRole>
  )
  const isFree = (current?.second_factor.required ?? 'off') === 'off'
  showInIsland(isFree ? shown : <NeedsFactor isOwn={page.needs === 'session'}>{shown}</NeedsFactor>)
  scrollToHashOnceLoaded()
  // A browser may restore a page from its cache. Reloading it hides the data from somebody who has signed out since.
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) location.reload()
  })
}

/** Shows the page. If it cannot read an answer, shows only a notice, so that no part of the page looks valid. */
function PageOrProblem({ Page }: { Page: ComponentType }) {
  const boundary: readonly [unknown, () => void] = useErrorBoundary((error: unknown) => reportError(error))
  const [thrown, again] = boundary
  return thrown === undefined ? <Page /> : <ProblemNotice problem={UNREADABLE} onRetry={again} />
}

/** Shows its children to roles with the permission, in tiers with the page. Others get a calm notice that names who has it. */
export function ForRole({ access, children }: { access: PageAccess; children: ComponentChildren }) {
  const { organisation: current } = session()
  if (access.needs === 'session') return <>{children}</>
  if (current === null) return <NoOrganisation />
  if (access.needs === 'membership') return <>{children}</>
  if (hasPermission(access.needs)) return <ForTier access={access}>{children}</ForTier>
  const roles = rolesWith(access.needs).filter((role) => role !== 'key')
  return (
    <Notice title={`Your role does not include ${access.what}`}>
      <p>
        You are {current.role} of {current.name}. The roles that include it: {roles.join(', ')}.
      </p>
    </Notice>
  )
}

type ForTierProps = {
  access: PageAccess & { feature?: PageFeature; opensLocked?: boolean }
  children: ComponentChildren
}

/** Shows its children if the tier has the page. Otherwise what the page does and a way to ask for it; nothing is requested. */
function ForTier({ access, children }: ForTierProps) {
  const { feature, opensLocked } = access
  if (feature === undefined || opensLocked === true || hasTierFeature(feature)) return <>{children}</>
  return (
    <>
      <PageHead lead={null} />
      <Lacking feature={feature} />
    </>
  )
}

/** The notice for a person in no organisation, or not in the one that the URL names. */
function NoOrganisation() {
  const { organisations, ended_access: ended } = session().user
  if (organisations.length > 0) {
    return (
      <Notice tone="warn" title="You are not a member of the organisation that this address names">
        <p>You may have left it, it may be erased, or the address is not whole. Open this page for one of yours:</p>
        <OrganisationLinks />
      </Notice>
    )
  }
  if (ended.length > 0) {
    return (
      <Notice tone="warn" title="Your access has ended">
        {ended.map(({ id, name, ended_at: at }) => (
          <p key={id}>
            Your access to {name} as an auditor ended on {formatDay(at.slice(0, 10))}. Ask an owner to extend it.
          </p>
        ))}
      </Notice>
    )
  }
  return (
    <Notice title="You are in no organisation yet">
      <p>Create one, or ask somebody to invite you to theirs and open the link of the invitation.</p>
      <p>
        <ButtonLink look="first" href="/app/organisation">
          Create an organisation
        </ButtonLink>
      </p>
    </Notice>
  )
}

/** Calls `scrollToHash` when nothing is loading any more. Until then style/rows.css hides what follows a loading part. */
function scrollToHashOnceLoaded(): void {
  const island = document.querySelector('#island')
  const look = (): void => {
    if (island === null || island.querySelector('[aria-busy=true]') !== null) return
    island.toggleAttribute('data-there', true)
    observer.disconnect()
    scrollToHash()
  }
  const observer = new MutationObserver(look)
  if (island !== null) observer.observe(island, { childList: true, subtree: true })
  look()
}

/** Scrolls to the part that the URL's hash names. It did not exist yet when the browser looked for it. */
export function scrollToHash(): void {
  const id = location.hash.slice(1)
  const named = document.getElementById(id) ?? document.querySelector<HTMLElement>(`[data-row="${CSS.escape(id)}"]`)
  named?.focus({ preventScroll: true })
  named?.scrollIntoView()
}
