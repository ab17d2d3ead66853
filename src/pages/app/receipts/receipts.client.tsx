import { openPage } from '../open-page.tsx'
import { Receipts } from './receipts.view.tsx'

await openPage(Receipts)
