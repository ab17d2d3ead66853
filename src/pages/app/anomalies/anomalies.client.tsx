import { openPage } from '../open-page.tsx'
import { Anomalies } from './anomalies.view.tsx'

await openPage(Anomalies)
