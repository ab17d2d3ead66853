"""Analyses texts with Presidio: one JSON string a line in, one JSON list of [entity, start, end] a line out.

Its recogniser of UK postcodes, which is off unless asked for, is on, and telephone numbers are looked for in Ireland too. Where
findings overlap, the one with the higher score stays, as in its own anonymiser.
"""
import json
import sys

import spacy
import tldextract
from presidio_analyzer import AnalyzerEngine, RecognizerRegistry
from presidio_analyzer.nlp_engine import SpacyNlpEngine
from presidio_analyzer.predefined_recognizers import PhoneRecognizer, UkPostcodeRecognizer

ENTITIES = sys.argv[1].split(",")
MODEL = sys.argv[2]

# The list of endings that comes with the package: nothing is fetched.
tldextract.tldextract.TLD_EXTRACTOR = tldextract.TLDExtract(suffix_list_urls=())


class Engine(SpacyNlpEngine):
    def load(self):
        self.nlp = {"en": spacy.load(MODEL) if MODEL != "blank" else spacy.blank("en")}


engine = Engine()
engine.load()
registry = RecognizerRegistry()
registry.load_predefined_recognizers(languages=["en"], nlp_engine=engine)
registry.remove_recognizer("PhoneRecognizer")
regions = [*PhoneRecognizer.DEFAULT_SUPPORTED_REGIONS, "IE"]
registry.add_recognizer(PhoneRecognizer(supported_regions=regions, supported_language="en"))
registry.add_recognizer(UkPostcodeRecognizer(supported_language="en"))
analyzer = AnalyzerEngine(nlp_engine=engine, registry=registry, supported_languages=["en"])

for line in sys.stdin:
    found = analyzer.analyze(text=json.loads(line), language="en", entities=ENTITIES)
    kept = []
    for one in sorted(found, key=lambda each: (-each.score, each.start - each.end)):
        if all(one.end <= other.start or one.start >= other.end for other in kept):
            kept.append(one)
    print(json.dumps([[one.entity_type, one.start, one.end] for one in kept]))
