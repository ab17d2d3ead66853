// Opens the one object that writes the public log, in the European Union. It is a file of its own,
// because it imports the object's class, and nothing that the class imports may do so.
import { objectOpener } from '../platform/open-object.ts'
import { EUROPEAN_REGIONS } from '../platform/config.ts'
import type { PublicLog } from './public-log.do.ts'

export const openPublicLog = (
  namespace: DurableObjectNamespace<PublicLog>,
  jurisdictions: boolean,
): DurableObjectStub<PublicLog> =>
  objectOpener(namespace, jurisdictions)({ name: 'public', isEuropean: true, region: EUROPEAN_REGIONS[0] })
