HF_API int hf_look(const uint8_t *seen)
{
    int look, i;
    for (look = 0; look < HF_LOOKS; look++) {
        for (i = 0; i < HF_SEEN && !seen[i] == !hf_looks[look * HF_SEEN + i]; i++)
            ;
        if (i == HF_SEEN)
            return look;
    }
    return -1;
}

HF_API void hf_begin(hf_controller *c)
{
    c->phase = 0;
}

/* Whether a round comes before, at or after one of the table. */
static int hf_order(int row, int phase, int between, int now, int noticed)
{
    if (phase != (int)hf_phase[row])
        return phase < (int)hf_phase[row] ? -1 : 1;
    if (between != (int)hf_between[row])
        return between < (int)hf_between[row] ? -1 : 1;
    if (now != (int)hf_now[row])
        return now < (int)hf_now[row] ? -1 : 1;
    if (noticed != (int)hf_noticed[row])
        return noticed < (int)hf_noticed[row] ? -1 : 1;
    return 0;
}

HF_API int hf_step(hf_controller *c, int between, int now, int noticed)
{
    int low = 0, high = HF_ROUNDS;
    while (low < high) {
        int middle = low + (high - low) / 2;
        int order = hf_order(middle, c->phase, between, now, noticed);
        if (order == 0) {
            c->phase = (int)hf_next[middle];
            return (int)hf_action[middle];
        }
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return -1;
}

#ifndef HF_NO_NAMES

HF_API const char *hf_seen_name(int number)
{
    return number >= 0 && number < HF_SEEN ? hf_seen_names[number] : 0;
}

HF_API const char *hf_action_name(int action)
{
    return action >= 0 && action < HF_ACTIONS ? hf_action_names[action] : 0;
}

#endif

#ifdef HF_MAIN

#include <stdio.h>

/* Reads rounds, each a phase, a look, another one (HF_SEEN digits, or - where nothing is seen) and the number
   of the move that was noticed, or -1; prints the action and the next phase, or ? for what cannot come up. */
static int hf_scan(void)
{
    static uint8_t seen[HF_SEEN ? HF_SEEN : 1];
    char digit;
    int i;
    for (i = 0; i < (HF_SEEN ? HF_SEEN : 1); i++)
        seen[i] = scanf(" %c", &digit) == 1 && digit == '1';
    return hf_look(seen);
}

int main(void)
{
    hf_controller c;
    while (scanf("%d", &c.phase) == 1) {
        int between = hf_scan(), now = hf_scan(), noticed = -1, action;
        if (scanf("%d", &noticed) != 1)
            return 1;
        action = hf_step(&c, between, now, noticed);
        if (action < 0)
            printf("?\n");
        else
            printf("%d %d\n", action, c.phase);
    }
    return 0;
}

#endif
