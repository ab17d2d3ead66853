// A look that is written down, and that another site could have a browser take by a link: the browser would send the session.
import type { AppContext } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import type { Manager } from './access.ts'

/** @param what is done, such as `An export is started` */
export function assertNotLinkedTo(c: AppContext, manager: Manager, what: string): void {
  const from = c.req.header('sec-fetch-site')
  if (manager.kind === 'key' || from === undefined || from === 'same-origin' || from === 'none') return
  throw new AppError('origin_refused', `${what} from our own pages, or by a program.`, { param: 'sec-fetch-site' })
}
