import { openPage } from '../open-page.tsx'
import { Audit } from './audit.view.tsx'

await openPage(Audit)
