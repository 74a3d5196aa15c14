#include "axis.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { LOBES = 3 };

// MARK: Weights

static size_t rounded_up(size_t count, size_t part) { return (count + part - 1) / part * part; }

// sinc(x) sinc(x / 3), with sin(3a) = 3 sin a - 4 sin^3 a: most of the time goes into sines.
static double lanczos(double x) {
  if (x == 0) return 1;
  if (fabs(x) >= LOBES) return 0;
  double angle = M_PI / LOBES * x, sine = sin(angle);
  return sine * sine * (3 - 4 * sine * sine) / (LOBES * angle * angle);
}

// Weights of the samples around `centre`. The kernel is cut off at the edges of the source, and the
// weights add up to ONE exactly.
//
// - shares: room for the weights before they are rounded.
static struct taps weigh(const struct tessera_axis *plan, double centre, double scale,
                         double *shares, int16_t *weights) {
  int first = clamped((int)ceil(centre - LOBES * scale - 0.5), 0, plan->source - 1);
  int last = clamped((int)floor(centre + LOBES * scale - 0.5), first, plan->source - 1);
  int count = last - first + 1;
  double sum = 0;
  for (int tap = 0; tap < count; tap++)
    sum += shares[tap] = lanczos((first + tap + 0.5 - centre) / scale);
  int left = ONE, largest = 0;
  for (int tap = 0; tap < count; tap++) {
    weights[tap] = (int16_t)lrint(sum > 0 ? shares[tap] / sum * ONE : (double)ONE / count);
    left -= weights[tap];
    if (weights[tap] > weights[largest]) largest = tap;
  }
  weights[largest] += (int16_t)left;
  // Weights of nothing cost time.
  while (count > 1 && weights[count - 1] == 0) count--;
  int skipped = 0;
  while (skipped < count - 1 && weights[skipped] == 0) skipped++;
  count -= skipped;
  memmove(weights, weights + skipped, sizeof *weights * (size_t)count);
  memset(weights + count, 0, sizeof *weights * (size_t)skipped);
  return (struct taps){.first = first + skipped, .count = count};
}

static void end(struct axis *axis) {
  if (!axis) return;
  free(axis->taps);
  free(axis->weights);
  free(axis);
}

// Whether the sample that is a period behind has the same weights, for samples that lie as much further as they should.
static int repeats(const struct axis *axis, int index, int period) {
  const struct taps *taps = axis->taps + index, *next = taps + period;
  int distance = period == 1 ? 2 : 1;
  return next->count == taps->count && next->first == taps->first + distance &&
         memcmp(axis->weights + taps->weights, axis->weights + next->weights,
                sizeof *axis->weights * (size_t)taps->count) == 0;
}

// Sets the longest stretch around the middle, which the edges of the source do not reach.
static void find_period(struct axis *axis, int period) {
  int count = axis->plan.result, middle = count / 2 / period * period, from = middle, to = middle;
  while (from >= period && repeats(axis, from - period, period) &&
         (period == 1 || repeats(axis, from - 1, period)))
    from -= period;
  while (to + 2 * period <= count && repeats(axis, to, period) &&
         (period == 1 || repeats(axis, to + 1, period)))
    to += period;
  if (to - from >= PART) axis->period = period, axis->from = from, axis->to = to;
}

static struct axis *prepare(struct tessera_axis plan) {
  double scale = fmax(1, fabs(plan.step));
  size_t room = rounded_up((size_t)(2 * LOBES * scale) + 3, 2 * GROUP);
  struct axis *axis = calloc(1, sizeof *axis);
  double *shares = malloc(sizeof *shares * room);
  if (!axis || !shares) goto none;
  axis->plan = plan;
  axis->room = room;
  axis->is_copy = plan.source == plan.result && plan.start == 0 && plan.step == 1;
  axis->taps = malloc(sizeof *axis->taps * (size_t)plan.result);
  axis->weights = calloc(room * (size_t)plan.result, sizeof *axis->weights);
  if (!axis->taps || !axis->weights) goto none;
  for (int index = 0; index < plan.result; index++) {
    size_t place = room * (size_t)index;
    struct taps taps =
        weigh(&plan, plan.start + (index + 0.5) * plan.step, scale, shares, axis->weights + place);
    taps.weights = place;
    taps.groups = (int)(rounded_up((size_t)taps.count, GROUP) / GROUP);
    if (taps.count > axis->most) axis->most = taps.count;
    axis->taps[index] = taps;
  }
  free(shares);
  if (plan.source == 2 * plan.result) find_period(axis, 1);
  if (2 * plan.source == plan.result) find_period(axis, 2);
  return axis;
none:
  free(shares);
  end(axis);
  return NULL;
}

// MARK: Those of the last images

// Images of one site have few sizes, and for a small one the weights take longer than the samples.
enum { KEPT = 32, MOST_KEPT_BYTES = 1 << 16 };
static struct axis *kept[KEPT];
static int oldest;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int is_of(const struct axis *axis, const struct tessera_axis *plan) {
  return axis->plan.source == plan->source && axis->plan.result == plan->result &&
         axis->plan.start == plan->start && axis->plan.step == plan->step;
}

static struct axis *found(const struct tessera_axis *plan) {
  for (int index = 0; index < KEPT; index++)
    if (kept[index] && is_of(kept[index], plan)) return tessera_axis_kept(kept[index]);
  return NULL;
}

struct axis *tessera_axis_kept(struct axis *axis) {
  __atomic_add_fetch(&axis->users, 1, __ATOMIC_RELAXED);
  return axis;
}

void tessera_axis_release(struct axis *axis) {
  if (axis && __atomic_sub_fetch(&axis->users, 1, __ATOMIC_ACQ_REL) == 0) end(axis);
}

struct axis *tessera_axis_of(struct tessera_axis plan) {
  pthread_mutex_lock(&lock);
  struct axis *axis = found(&plan);
  pthread_mutex_unlock(&lock);
  if (axis || !(axis = prepare(plan))) return axis;
  tessera_axis_kept(axis);
  if (axis->room * (size_t)plan.result * sizeof *axis->weights > MOST_KEPT_BYTES) return axis;
  pthread_mutex_lock(&lock);
  struct axis *former = kept[oldest];
  kept[oldest] = tessera_axis_kept(axis);
  oldest = (oldest + 1) % KEPT;
  pthread_mutex_unlock(&lock);
  tessera_axis_release(former);
  return axis;
}
