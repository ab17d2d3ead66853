// The base of a feature that callers reach through the organisation's object. It has the object's parts that the feature needs.
import { RpcTarget } from 'cloudflare:workers'
import type { ObjectParts } from './object-parts.ts'

export class FeatureTarget<Part extends keyof ObjectParts> extends RpcTarget {
  protected readonly parts: Pick<ObjectParts, Part>

  constructor(parts: Pick<ObjectParts, Part>) {
    super()
    this.parts = parts
  }
}
