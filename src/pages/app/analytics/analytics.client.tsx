import { openPage } from '../open-page.tsx'
import { Analytics } from './analytics.view.tsx'

await openPage(Analytics)
