// #embed takes no time, unlike a literal of as many bytes in Swift.
#pragma clang diagnostic ignored "-Wc23-extensions"
#include "tessera_pages.h"

static const char pipeline[] = {
#embed "../../Pipelines/PIPELINE.md"
, 0};
static const char manifest[] = {
#embed "../../Pipelines/MANIFEST.md"
, 0};
static const char catalog[] = {
#embed "../../Pipelines/CATALOG.md"
, 0};
static const char apps[] = {
#embed "../../Pipelines/APPS.md"
, 0};
static const char running[] = {
#embed "../../Pipelines/RUNNING.md"
, 0};
static const char runbook[] = {
#embed "../../Pipelines/RUNBOOK.md"
, 0};
static const char serving[] = {
#embed "../../Pipelines/SERVING.md"
, 0};
static const char machines[] = {
#embed "../../Pipelines/MACHINES.md"
, 0};
static const char reports[] = {
#embed "../../Pipelines/REPORTS.md"
, 0};

static const struct tessera_page pages[] = {
  {"pipeline", pipeline}, {"manifest", manifest}, {"catalog", catalog},
  {"apps", apps}, {"running", running}, {"runbook", runbook},
  {"serving", serving}, {"machines", machines}, {"reports", reports},
  {NULL, NULL},
};

static const char gallery[] = {
#embed "../Command/Gallery/gallery.html"
, 0};

const struct tessera_page *tessera_pages(void) { return pages; }

const char *tessera_gallery(void) { return gallery; }
