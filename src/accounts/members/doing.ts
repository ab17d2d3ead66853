// Which person does something to the members of which organisation.
import type { AppContext } from '../../platform/context.ts'
import type { Access } from '../access/access.ts'
import type { Standing } from './members.store.ts'

export type Doing = { organisation: Access['organisation']; by: Standing; requestId: string }

export function doingOf(c: AppContext, { organisation, manager }: Access): Doing {
  if (manager.kind === 'key') throw new Error('no permission over members is a key’s')
  return { organisation, by: { id: manager.id, role: manager.role }, requestId: c.get('requestId') }
}
