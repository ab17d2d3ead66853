// Schemas of /v1/specialties, /v1/waiting-lists and /v1/datasets, with the texts and examples of the OpenAPI document.
import * as z from 'zod'
import { once } from '../../platform/once.ts'
import { AGE_GROUPS, DATASET_KINDS } from './dataset.ts'

const EXAMPLE_HASH = '0f343b0931126a20f133d67c2b018a3b5c9a1f0a6b1c6f6c0e5e2a3d4b7c8d9e'

export const AgeGroup = once(() =>
  z.enum(AGE_GROUPS).meta({
    id: 'AgeGroup',
    description:
      "The publisher's own coding, decided by how the hospital is designated and not by the patient's age alone.",
    example: 'Adult',
  }),
)

const ArchiveDate = once(() =>
  z.iso.date().meta({ description: 'The archive label the publisher gives the figures.', example: '2026-09-24' }),
)

const PublishedOn = once(() =>
  z.iso.date().meta({ description: 'The date the publisher published the figures.', example: '2026-10-09' }),
)

export const DatasetVersion = once(() =>
  z
    .strictObject({
      archiveDate: ArchiveDate(),
      publishedOn: PublishedOn(),
      hash: z
        .string()
        .regex(/^[0-9a-f]{64}$/)
        .meta({ description: 'SHA-256 of the published file, served by /v1/files/{sha256}.', example: EXAMPLE_HASH }),
    })
    .meta({ id: 'DatasetVersion', description: 'Ties an answer to the published figures it was given from.' }),
)

export const DatasetKind = once(() =>
  z.enum(DATASET_KINDS).meta({
    id: 'DatasetKind',
    description:
      'What the figures count: people waiting for a first `outpatient` appointment, for treatment as an inpatient or a day ' +
      'case (`inpatient_day_case`), or for a gastrointestinal endoscopy (`gi_endoscopy`).',
    example: 'outpatient',
  }),
)

export const WaitingListSource = once(() =>
  z
    .strictObject({
      publisher: z.string().meta({ example: 'National Treatment Purchase Fund (NTPF)' }),
      title: z.string().meta({ example: 'OP-Waiting-List-By-Group-Hospital-2021-1.csv' }),
      url: z.string().nullable().meta({
        description: 'Where the publisher offers the file; null for the invented sample.',
        example: 'https://www.ntpf.ie/waiting-list-data/open-data/',
      }),
      acknowledgement: z.string().meta({
        description: 'To be shown wherever the figures are shown.',
        example: 'Source: National Treatment Purchase Fund (NTPF).',
      }),
      kind: DatasetKind(),
    })
    .meta({ id: 'WaitingListSource' }),
)

/** A text, because leading zeros matter. The same digits can name a hospital and a specialty. */
const Code = once(() => z.string().nullable().meta({ example: '0600' }))

const Specialty = once(() =>
  z
    .strictObject({
      name: z.string().meta({ description: "The publisher's spelling.", example: 'Otolaryngology (ENT)' }),
      code: Code().meta({ description: 'The publisher’s code of the specialty. Null where the file has none.' }),
      ageGroups: z
        .array(AgeGroup())
        .meta({ description: 'The age groups the file has lists for.', example: ['Adult', 'Child'] }),
      lists: z
        .int()
        .nonnegative()
        .meta({ description: 'How many lists the file has, of both age groups.', example: 12 }),
    })
    .meta({ id: 'Specialty' }),
)

export const SpecialtiesResponse = once(() =>
  z
    .strictObject({
      datasetVersion: DatasetVersion(),
      specialties: z
        .array(Specialty())
        .meta({ description: 'In the order of the file. A reading can name only these.' }),
    })
    .meta({ id: 'SpecialtiesResponse' }),
)

const BandCount = once(() =>
  z
    .strictObject({
      band: z.string().meta({ description: 'Time waited so far, as the publisher spells it.', example: '0-3 Months' }),
      people: z.int().nonnegative().meta({ example: 41 }),
    })
    .meta({ id: 'BandCount' }),
)

const WaitingList = once(() =>
  z
    .strictObject({
      hospital: z.string().nullable().meta({
        description: 'Null when the published file has no hospitals.',
        example: 'Invented General Hospital, Samplebridge',
      }),
      hospitalCode: Code().meta({
        description: 'The publisher’s code of the hospital. Null where the file has none.',
        example: '9002',
      }),
      hospitalGroup: z.string().nullable().meta({ example: 'Invented North Hospital Group' }),
      specialty: z.string().meta({ example: 'Cardiology' }),
      specialtyCode: Code().meta({
        description: 'The publisher’s code of the specialty. Null where the file has none.',
        example: '0100',
      }),
      ageGroup: AgeGroup(),
      waiting: z.array(BandCount()).meta({
        description: 'Shortest wait first. A band the file has no figure for is left out; it is not a zero.',
      }),
      total: z.int().nonnegative().meta({
        description: 'As published, or the sum of the bands where the file publishes no total. The two need not agree.',
        example: 97,
      }),
      source: WaitingListSource(),
      archiveDate: ArchiveDate(),
      publishedOn: PublishedOn(),
      cannotEstablish: z.array(z.string()).meta({ description: 'What this list does not tell.' }),
    })
    .meta({ id: 'WaitingList' }),
)

export const WaitingListsResponse = once(() =>
  z
    .strictObject({
      specialty: z.string().meta({ example: 'Cardiology' }),
      ageGroup: AgeGroup(),
      datasetVersion: DatasetVersion(),
      source: WaitingListSource(),
      waitingLists: z
        .array(WaitingList())
        .meta({ description: 'Every published list, in the order of the file. The order means nothing else.' }),
      cannotEstablish: z.array(z.string()).meta({ description: 'What these lists together do not tell.' }),
    })
    .meta({ id: 'WaitingListsResponse' }),
)

const HeldDataset = once(() =>
  z
    .strictObject({
      datasetVersion: DatasetVersion(),
      kind: DatasetKind(),
      current: z.boolean().meta({ description: 'Whether answers are given from this version now.' }),
      hasHospitals: z.boolean().meta({ description: 'False for a file by specialty only.' }),
      source: WaitingListSource(),
      specialties: z.int().nonnegative().meta({ example: 42 }),
      lists: z.int().nonnegative().meta({ example: 180 }),
      file: z
        .string()
        .meta({ description: 'The published file, byte for byte.', example: `/v1/files/${EXAMPLE_HASH}` }),
    })
    .meta({ id: 'HeldDataset' }),
)

export const DatasetsResponse = once(() =>
  z
    .strictObject({
      datasets: z.array(HeldDataset()).meta({ description: 'The current version first, then the latest published.' }),
      has_more: z.boolean().meta({ description: 'Whether more versions are held than were listed up to here.' }),
      next_cursor: z.string().nullable().meta({ description: 'The `cursor` of the next page; null on the last.' }),
    })
    .meta({ id: 'DatasetsResponse' }),
)

const SPECIALTY_MISSING = 'missing; expected a name from GET /v1/specialties'

export const WaitingListsQuery = once(() =>
  z.strictObject({
    specialty: z
      .string(SPECIALTY_MISSING)
      .min(1, SPECIALTY_MISSING)
      .meta({ description: 'A name from /v1/specialties, spelled the same.', example: 'Cardiology' }),
    ageGroup: AgeGroup().default('Adult'),
  }),
)
