// Where the object that writes the public log is: there is one, in the European Union.
import { objectOpener } from '../platform/open-object.ts'
import { EUROPEAN_REGIONS } from '../platform/config.ts'
import type { PublicLog } from './public-log.do.ts'

export const openPublicLog = (
  namespace: DurableObjectNamespace<PublicLog>,
  jurisdictions: boolean,
): DurableObjectStub<PublicLog> =>
  objectOpener(namespace, jurisdictions)({ name: 'public', isEuropean: true, region: EUROPEAN_REGIONS[0] })
