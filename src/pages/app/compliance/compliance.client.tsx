import { openPage } from '../open-page.tsx'
import { Compliance } from './compliance.view.tsx'

await openPage(Compliance)
