// What stands around every page of the dashboard: the organisation, the person, what waits, the way to every page.
import { render } from 'preact'
import { showClosing } from '../closing/closing-notice.view.tsx'
import { isDemoOrganisation } from './demo.ts'
import { showFinding } from './finding.view.tsx'
import { showSide } from './side.ts'
import { showWaiting } from './waiting.ts'
import { Who } from './who.view.tsx'
import type { Session } from '../../api/session.ts'

export function showFrame(session: Session): void {
  const { organisation } = session
  showWho(session)
  showSide(session)
  showFinding()
  showClosing(session)
  void showWaiting(session)
  if (organisation !== null && isDemoOrganisation(organisation.id)) showDemoNote()
}

/** Again where a name is another by now. */
export function showWho(session: Session): void {
  const who = document.querySelector('#who')
  if (who !== null) render(<Who session={session} />, who)
  const name = document.querySelector('#organisation-name')
  if (name !== null) name.textContent = session.organisation?.name ?? ''
}

/** At the foot of the window, where it moves nothing that is there already. */
function showDemoNote(): void {
  const note = document.createElement('footer')
  note.className = 'demo-note'
  note.textContent = 'Invented data: this is a demonstration.'
  document.body.append(note)
}
