// Export rows of anomalies.
import { anomalySubject, type FoundAnomaly } from '../../organisation/bias/measures.ts'
import { AnomalySchema } from '../bias/bias.schema.ts'
import { presentAnomaly } from '../bias/present-bias.ts'
import type { Row } from './row.ts'

export const ANOMALY_COLUMNS = ['id', ...Object.keys(AnomalySchema.shape)]

/** An anomaly's row. Its id is the subject of statements about it. */
export const describeAnomaly = (anomaly: FoundAnomaly): Row => ({
  id: anomalySubject(anomaly),
  ...presentAnomaly(anomaly),
})
