// Opens a page of the dashboard: who is signed in, what the frame shows of that, then the page itself.
import { render, type ComponentType } from 'preact'
import { useErrorBoundary } from 'preact/hooks'
import { UNREADABLE } from '../api/call.ts'
import { openSession, type Session } from '../api/session.ts'
import { reloadForOthers, tellTabs } from '../api/tabs.ts'
import { ProblemNotice } from '../parts/problem-notice.view.tsx'
import { showFrame } from './frame/frame.client.tsx'
import { openNamed } from './open-named.ts'
import { NoOrganisation } from './no-organisation.view.tsx'

export type Page = ComponentType<{ session: Session }>

/** @param needs whether it is there for members of an organisation only, or for everybody who has signed in */
export async function openPage(Page: Page, needs: 'organisation' | 'session' = 'organisation'): Promise<void> {
  const island = document.querySelector('#island')
  if (island === null) throw new Error('the page has no island')
  const opened = await openSession()
  if (opened.outcome === 'refused') {
    render(<ProblemNotice problem={opened.problem} onRetry={() => location.reload()} />, island)
    return
  }
  const { user } = opened.session
  tellTabs(user.id)
  reloadForOthers(user.id)
  showFrame(opened.session)
  const isForAll = needs === 'session' || opened.session.organisation !== null
  render(
    isForAll ? <Shown Page={Page} session={opened.session} /> : <NoOrganisation session={opened.session} />,
    island,
  )
  tellOnceThere(island)
  // A page that the browser kept shows what was there when it was left: whoever signed out meanwhile sees nothing of it.
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) location.reload()
  })
}

/** The page, or that it was answered something that it cannot show: nothing of it stays that might be taken for found. */
function Shown({ Page, session }: { Page: Page; session: Session }) {
  const boundary: readonly [unknown, () => void] = useErrorBoundary((error: unknown) => reportError(error))
  const [thrown, again] = boundary
  return thrown === undefined ? <Page session={session} /> : <ProblemNotice problem={UNREADABLE} onRetry={again} />
}

/** Until then what stands below something that is on its way is not shown, and cannot jump (style/parts.css). */
function tellOnceThere(island: Element): void {
  const look = (): void => {
    if (island.querySelector('[aria-busy=true]') !== null) return
    island.classList.add('there')
    observer.disconnect()
    openNamed()
  }
  const observer = new MutationObserver(look)
  observer.observe(island, { childList: true, subtree: true })
  look()
}
