#pragma once
#include <webp/decode.h>
#include <webp/encode.h>
#include <webp/mux.h>
#include <webp/mux_types.h>
#include <webp/types.h>
