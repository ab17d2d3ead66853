// SECURITY: a link must not start an export or another read that is logged, because the browser sends the session with it. A
// link may come from another site or a mail. After a sign-in on the way the browser says that it comes from us.
import type { AppContext } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import type { Manager } from './access.ts'

/** @param what is done, such as `An export is started` */
export function assertNotLinkedTo(c: AppContext, manager: Manager, what: string): void {
  if (manager.kind === 'key') return
  const from = c.req.header('sec-fetch-site') ?? 'none'
  if (from !== 'same-origin' && from !== 'none') throw refusal(what, 'sec-fetch-site')
  if (c.req.header('sec-fetch-mode') === 'navigate') throw refusal(what, 'sec-fetch-mode')
  // Browsers without those headers (Safari before 16.4) ask for a page when they follow a link; programs and our pages do not.
  if (c.req.header('accept')?.includes('text/html') === true) throw refusal(what, 'accept')
}

function refusal(what: string, param: string): AppError {
  return new AppError('origin_refused', `${what} from our own pages, or by a program.`, { param })
}
