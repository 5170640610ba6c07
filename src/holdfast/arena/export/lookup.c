static uint32_t hf_walk(uint32_t reference, const hf_code *value)
{
    while (reference >= HF_ANSWERS) {
        const hf_reference *node = hf_nodes + (reference - HF_ANSWERS);
        reference = node[1 + HF_DIGIT(value, node[0])];
    }
    return reference;
}

static int hf_n_actions(int player)
{
    return player == HF_DEFENDER ? HF_DEFENDER_ACTIONS : HF_ADVERSARY_ACTIONS;
}

static int hf_index(int player, int action)
{
    return player == HF_DEFENDER ? action : HF_DEFENDER_ACTIONS + action;
}

static int hf_fits(const hf_code *value)
{
    int v;
    for (v = 0; v < HF_VARIABLES; v++)
        if (value[v] >= hf_n_values[v])
            return 0;
    return 1;
}

static int hf_is_move(const hf_position *p, int action)
{
    return hf_is_position(p) && action >= 0 && action < hf_n_actions(p->turn);
}

/* Whether one of the clauses from..to-1 has been violated. */
static int hf_rejects(const hf_position *p, int from, int to)
{
    int c;
    for (c = from; c < to; c++)
        if (hf_offset[hf_first_state[c] + p->q[c]] < 0)
            return 1;
    return 0;
}

static int hf_sum(const hf_position *p, int from, int to)
{
    int c, sum = 0;
    for (c = from; c < to; c++)
        sum += hf_offset[hf_first_state[c] + p->q[c]];
    return sum;
}

static int hf_in_region(const hf_position *p)
{
    int block;
    if (hf_rejects(p, 0, HF_DEFENDER_CLAUSES))
        return 0;
    block = hf_sum(p, 0, HF_DEFENDER_CLAUSES);
    if (hf_rejects(p, HF_DEFENDER_CLAUSES, HF_CLAUSES))
        block += HF_SINK;
    else
        block += hf_sum(p, HF_DEFENDER_CLAUSES, HF_CLAUSES);
    return hf_walk(hf_winning[p->turn * HF_BLOCKS + block], p->value) == 1;
}

/* The state after an action, by the model: 0 if it cannot be chosen, 1 if nothing changes, else 2. */
static int hf_apply(const hf_position *p, int action, hf_position *after)
{
    uint32_t i, effect = hf_walk(hf_moves[hf_index(p->turn, action)], p->value);
    int result = 1;
    *after = *p;
    if (effect == HF_UNAVAILABLE)
        return 0;
    for (i = hf_effect_first[effect]; i < hf_effect_first[effect + 1]; i++) {
        hf_code code = (hf_code)hf_walk(hf_effect_root[i], p->value);
        if (code != p->value[hf_effect_variable[i]])
            result = 2;
        after->value[hf_effect_variable[i]] = code;
    }
    return result;
}

/* The automata read the action and the state it led to. */
static void hf_read(const hf_position *p, int action, hf_position *after)
{
    const hf_reference *step = hf_steps + (uint32_t)hf_readings[hf_index(p->turn, action)] * HF_STEPS;
    int c;
    for (c = 0; c < HF_CLAUSES; c++)
        after->q[c] = (hf_automaton)hf_walk(step[hf_first_state[c] + p->q[c]], after->value);
    after->turn = (uint8_t)(1 - p->turn);
}

static int hf_is_kept(const hf_position *p, int action, hf_position *after)
{
    hf_read(p, action, after);
    if (p->turn == HF_ADVERSARY && hf_rejects(after, HF_DEFENDER_CLAUSES, HF_CLAUSES))
        return 0;
    return hf_in_region(after);
}

HF_API int hf_is_position(const hf_position *p)
{
    int c;
    for (c = 0; c < HF_CLAUSES; c++)
        if (p->q[c] >= hf_n_states[c])
            return 0;
    return p->turn <= HF_ADVERSARY && hf_fits(p->value);
}

HF_API void hf_initial(hf_position *p)
{
    *p = hf_start;
}

HF_API int hf_is_winning(const hf_position *p)
{
    return hf_is_position(p) && hf_in_region(p);
}

HF_API int hf_is_unsafe(const hf_position *p)
{
    return !hf_is_position(p) || hf_rejects(p, 0, HF_DEFENDER_CLAUSES);
}

HF_API int hf_is_admissible(const hf_position *p)
{
    return hf_is_position(p) && !hf_rejects(p, HF_DEFENDER_CLAUSES, HF_CLAUSES);
}

{% if is_drawn %}
/* Of what stays winning keep what can be chosen: the first outcome of each choice, if every outcome does. */
static int hf_choosable(uint8_t *permitted)
{
    int action, n = 0;
    for (action = 0; action < HF_DEFENDER_ACTIONS; action++)
        if (!permitted[action])
            permitted[hf_choice[action]] = 0;
    for (action = 0; action < HF_DEFENDER_ACTIONS; action++) {
        if ((int)hf_choice[action] != action)
            permitted[action] = 0;
        n += permitted[action];
    }
    return n;
}

{% endif %}
HF_API int hf_permitted(const hf_position *p, uint8_t *permitted)
{
    uint8_t same[HF_READINGS]; /* of actions that change nothing: 0 not known yet, 1 forbidden, 2 permitted */
    int action, i, n = 0, winning = hf_is_winning(p);
    for (i = 0; i < HF_READINGS; i++)
        same[i] = 0;
    for (action = 0; action < HF_MAX_ACTIONS; action++)
        permitted[action] = 0;
    for (action = 0; winning && action < hf_n_actions(p->turn); action++) {
        hf_position after;
        int applied = hf_apply(p, action, &after), reading = hf_readings[hf_index(p->turn, action)];
        if (applied == 2)
            permitted[action] = (uint8_t)hf_is_kept(p, action, &after);
        else if (applied == 1) {
            if (!same[reading])
                same[reading] = (uint8_t)(1 + hf_is_kept(p, action, &after));
            permitted[action] = (uint8_t)(same[reading] - 1);
        }
        n += permitted[action];
    }
{% if is_drawn %}
    if (winning && p->turn == HF_DEFENDER)
        n = hf_choosable(permitted);
{% endif %}
    return n;
}

HF_API int hf_is_permitted(const hf_position *p, int action)
{
    hf_position after;
{% if is_drawn %}
    int outcome;
    if (!hf_is_move(p, action) || (p->turn == HF_DEFENDER && (int)hf_choice[action] != action))
        return 0;
    for (outcome = action + 1; p->turn == HF_DEFENDER && outcome < HF_DEFENDER_ACTIONS; outcome++)
        if ((int)hf_choice[outcome] == action
            && !(hf_apply(p, outcome, &after) && hf_is_kept(p, outcome, &after)))
            return 0;
{% endif %}
    return hf_is_move(p, action) && hf_in_region(p) && hf_apply(p, action, &after)
           && hf_is_kept(p, action, &after);
}

HF_API int hf_move(hf_position *p, int action)
{
    hf_position after;
    if (!hf_is_move(p, action) || !hf_apply(p, action, &after))
        return 0;
    hf_read(p, action, &after);
    *p = after;
    return 1;
}

HF_API int hf_observe(hf_position *p, int action, const hf_code *value)
{
    hf_position after;
    int v;
    if (!hf_is_move(p, action) || !hf_fits(value))
        return 0;
    for (v = 0; v < HF_VARIABLES; v++)
        after.value[v] = value[v];
    hf_read(p, action, &after);
    *p = after;
    return 1;
}

#ifndef HF_NO_NAMES

HF_API const char *hf_variable_name(int variable)
{
    return variable >= 0 && variable < HF_VARIABLES ? hf_variable_names[variable] : 0;
}

HF_API const char *hf_value_name(int variable, int code)
{
    if (variable < 0 || variable >= HF_VARIABLES || code < 0 || (uint32_t)code >= hf_n_values[variable])
        return 0;
    return hf_value_names[hf_domain[variable] + (uint32_t)code];
}

HF_API const char *hf_action_name(int player, int action)
{
    if (player < HF_DEFENDER || player > HF_ADVERSARY || action < 0 || action >= hf_n_actions(player))
        return 0;
    return hf_action_names[hf_index(player, action)];
}

#endif

#ifdef HF_MAIN

/* Standard input: i, p POSITION, m ACTION POSITION or o ACTION VALUES POSITION, with a position written as its
   turn, the codes of the variables and the states of the automata. Standard output, a line for each: the initial
   position; whether it is winning and the permitted actions; the position after the move; or ? if it cannot be. */

#include <stdio.h>

static int hf_scan(hf_code *value, int n, const hf_size *limit)
{
    unsigned long given;
    int i, fits = 1;
    for (i = 0; i < n; i++) {
        if (scanf("%lu", &given) != 1)
            return 0;
        fits = fits && given < limit[i];
        value[i] = (hf_code)given;
    }
    return fits;
}

static int hf_scan_position(hf_position *p)
{
    unsigned long given;
    int c, fits = scanf("%lu", &given) == 1 && given <= HF_ADVERSARY;
    p->turn = (uint8_t)given;
    fits = hf_scan(p->value, HF_VARIABLES, hf_n_values) && fits;
    for (c = 0; c < HF_CLAUSES; c++) {
        fits = scanf("%lu", &given) == 1 && given < hf_n_states[c] && fits;
        p->q[c] = (hf_automaton)given;
    }
    return fits;
}

static void hf_print(const hf_position *p)
{
    int i;
    printf("%d", p->turn);
    for (i = 0; i < HF_VARIABLES; i++)
        printf(" %lu", (unsigned long)p->value[i]);
    for (i = 0; i < HF_CLAUSES; i++)
        printf(" %lu", (unsigned long)p->q[i]);
    printf("\n");
}

static void hf_print_permitted(const hf_position *p)
{
    static uint8_t permitted[HF_MAX_ACTIONS];
    int action;
    hf_permitted(p, permitted);
    printf("%d", hf_is_winning(p));
    for (action = 0; action < hf_n_actions(p->turn); action++)
        if (permitted[action])
            printf(" %d", action);
    printf("\n");
}

int main(void)
{
    hf_position p;
    hf_code value[HF_VARIABLES];
    char command;
    int action = 0, fits;
    while (scanf(" %c", &command) == 1) {
        fits = command == 'i' || command == 'p' || scanf("%d", &action) == 1;
        if (command == 'o')
            fits = hf_scan(value, HF_VARIABLES, hf_n_values) && fits;
        if (command == 'i')
            hf_initial(&p);
        else
            fits = hf_scan_position(&p) && fits;
        if (fits && command == 'm')
            fits = hf_move(&p, action);
        else if (fits && command == 'o')
            fits = hf_observe(&p, action, value);
        if (!fits)
            printf("?\n");
        else if (command == 'p')
            hf_print_permitted(&p);
        else
            hf_print(&p);
    }
    return 0;
}

#endif
