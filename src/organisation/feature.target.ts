// The base of a feature that callers reach through the organisation's object. It has the object's parts that the feature needs.
import { RpcTarget } from 'cloudflare:workers'
import type { ObjectParts } from './object-parts.ts'

export class FeatureTarget<Parts extends Partial<ObjectParts>> extends RpcTarget {
  protected readonly parts: Parts

  constructor(parts: Parts) {
    super()
    this.parts = parts
  }
}
