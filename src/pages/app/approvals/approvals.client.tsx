import { openPage } from '../open-page.tsx'
import { Approvals } from './approvals.view.tsx'

await openPage(Approvals)
